"""The `default` features of simple molecules: C, N and O without charges or aromatic bonds, for comparison only."""

from __future__ import annotations

import networkx as nx
from program import Graph

_ELEMENTS = {"C": (3, 4), "N": (4, 3), "O": (5, 2)}  # category and valence
_BONDS = {"-": 1, "=": 2, "#": 3}


def molecule(smiles: str) -> Graph:
    """Atoms, branches, single, double and triple bonds, ring closures of one digit."""
    atoms: list[str] = []
    bonds: dict[tuple[int, int], int] = {}
    stack: list[int] = []
    open_rings: dict[str, tuple[int, int]] = {}
    last, order = -1, 1
    for letter in smiles:
        if letter in _BONDS:
            order = _BONDS[letter]
        elif letter == "(":
            stack.append(last)
        elif letter == ")":
            last = stack.pop()
        elif letter.isdigit():
            if letter in open_rings:
                other, earlier = open_rings.pop(letter)
                bonds[min(other, last), max(other, last)] = max(order, earlier)
            else:
                open_rings[letter] = (last, order)
            order = 1
        else:
            atoms.append(letter)
            if last >= 0:
                bonds[last, len(atoms) - 1] = order
            last, order = len(atoms) - 1, 1
    graph = nx.Graph(list(bonds))
    graph.add_nodes_from(range(len(atoms)))
    bridges = {tuple(sorted(edge)) for edge in nx.bridges(graph)}
    in_ring = {v for edge in bonds if edge not in bridges for v in edge}
    vertex = []
    for v, atom in enumerate(atoms):
        category, valence = _ELEMENTS[atom]
        used = sum(order for edge, order in bonds.items() if v in edge)
        # Columns: element, charge (2 is none), hydrogens, aromatic, in a ring.
        vertex.append([category, 2, valence - used, 0, int(v in in_ring)])
    return Graph(vertex, {edge: [order - 1, int(edge not in bridges)] for edge, order in bonds.items()})
