"""The other side of the benchmark: one process that runs the peers, one request a line.

Requests and answers are JSON, one object a line. Graphs are built before any clock starts, results
are dropped unseen while it runs, and the clock is the CPU time of this process, so that a busy
machine slows neither side more than the other. `check` counts what `time` only produces.
"""

import csv
import gc
import json
import os
import sys
import time
from collections import Counter, deque
from importlib import metadata
from itertools import chain
from operator import itemgetter, methodcaller

exhaust = deque(maxlen=0).extend
items = methodcaller("items")


class Input:
    """The graphs of one input file, and the form a library wants them in."""

    def __init__(self, path):
        with open(path) as lines:
            count, labelled, directed = map(int, next(lines).split())
            self.directed = bool(directed)
            self.graphs = []
            for _ in range(count):
                order, _ = map(int, next(lines).split())
                ends = list(map(int, next(lines).split()))
                labels = list(map(int, next(lines).split())) if labelled else None
                self.graphs.append((order, list(zip(ends[::2], ends[1::2])), labels))
        self.built = {}

    def form(self, build):
        if build not in self.built:
            self.built[build] = [build(*graph, self.directed) for graph in self.graphs]
        return self.built[build]


def in_igraph(order, edges, labels, directed):
    import igraph

    return igraph.Graph(n=order, edges=edges, directed=directed)


def in_rustworkx(order, edges, labels, directed):
    import rustworkx

    graph = (rustworkx.PyDiGraph if directed else rustworkx.PyGraph)(multigraph=False)
    graph.add_nodes_from(labels if labels is not None else [None] * order)
    graph.add_edges_from_no_data(edges)
    return graph


def in_networkx(order, edges, labels, directed):
    import networkx

    graph = networkx.DiGraph() if directed else networkx.Graph()
    for vertex in range(order):
        graph.add_node(vertex, label=labels[vertex] if labels is not None else None)
    graph.add_edges_from(edges)
    return graph


def in_graph_tool(order, edges, labels, directed):
    from graph_tool import Graph

    graph = Graph(directed=directed)
    graph.add_vertex(order)
    graph.add_edge_list(edges)
    return graph


def in_evoke(order, edges, labels, directed):
    """Neighbours of all vertices in one array, and where those of each begin."""
    import numpy

    ends = numpy.array(edges, numpy.int64).reshape(-1, 2)
    ends = numpy.concatenate([ends, ends[:, ::-1]])
    ends = ends[numpy.lexsort((ends[:, 1], ends[:, 0]))]
    starts = numpy.searchsorted(ends[:, 0], numpy.arange(order + 1))
    return starts.astype(numpy.int64), numpy.ascontiguousarray(ends[:, 1])


def rustworkx_vf2(patterns, induced):
    """Maps of every pattern, listed and dropped, by the faster of the two vertex orders."""
    from rustworkx import vf2_mapping

    shapes = [in_rustworkx(*pattern) for pattern in patterns]
    faster = {}

    def by_order(graph, id_order):
        for shape in shapes:
            yield vf2_mapping(graph, shape, subgraph=True, induced=induced, id_order=id_order)

    def probe(graphs):
        for id_order in (False, True):
            begin = time.process_time()
            for graph in graphs:
                exhaust(chain.from_iterable(by_order(graph, id_order)))
            faster[id_order] = time.process_time() - begin

    def run(graph):
        return by_order(graph, min(faster, key=faster.get))

    run.probe = probe
    return in_rustworkx, run


def rustworkx_counts(patterns, induced):
    """The same, with a count for every vertex and pattern vertex, kept by a C-speed counter."""
    build, maps = rustworkx_vf2(patterns, induced)

    def run(graph):
        for found in maps(graph):
            yield Counter(chain.from_iterable(map(items, found)))

    run.probe = maps.probe
    return build, run


def rustworkx_tables(patterns, induced):
    """The same, with a count for every arc and pattern arc as well: what we are asked for."""
    build, maps = rustworkx_vf2(patterns, induced)
    arcs = [sorted({*edges} | {(b, a) for a, b in edges}) for _, edges, *_ in patterns]
    ends = [(itemgetter(*(a for a, _ in all)), itemgetter(*(b for _, b in all)), all) for all in arcs]

    def run(graph):
        for found, (sources, targets, roles) in zip(maps(graph), ends):
            vertices, rows = Counter(), Counter()
            for each in found:
                vertices.update(each.items())
                place = dict(zip(each.values(), each.keys()))
                rows.update(zip(sources(place), targets(place), roles))
            yield vertices

    run.probe = maps.probe
    return build, run


def networkx_matcher(patterns, induced):
    """Maps of every pattern, labels compared where a pattern has them."""
    from networkx.algorithms.isomorphism import DiGraphMatcher, GraphMatcher

    def same(a, b):
        return a["label"] == b["label"]

    shapes = [
        (DiGraphMatcher if directed else GraphMatcher, in_networkx(order, edges, labels, directed),
         same if labels is not None else None)
        for order, edges, labels, directed in patterns
    ]

    def run(graph):
        for matcher, shape, node_match in shapes:
            found = matcher(graph, shape, node_match=node_match)
            yield found.subgraph_isomorphisms_iter() if induced else found.subgraph_monomorphisms_iter()

    return in_networkx, run


def graph_tool_vf2(patterns, induced):
    from graph_tool.topology import subgraph_isomorphism

    shapes = [in_graph_tool(*pattern) for pattern in patterns]

    def run(graph):
        for shape in shapes:
            yield subgraph_isomorphism(shape, graph, induced=induced, subgraph=True, generator=True)

    return in_graph_tool, run


def igraph_cycles(patterns, induced):
    """All simple cycles in one call; sorted by length only when they are checked."""
    sizes = [order for order, *_ in patterns]

    def run(graph):
        yield graph.simple_cycles(min=min(sizes), max=max(sizes))

    return in_igraph, run


def igraph_cliques(patterns, induced):
    """All cliques in one call; sorted by size only when they are checked."""
    sizes = [order for order, *_ in patterns]

    def run(graph):
        yield graph.cliques(min(sizes), max(sizes))

    return in_igraph, run


def igraph_motifs(patterns, induced):
    """Totals of all connected patterns of one size (RAND-ESU without cutting)."""
    size = patterns[0][0]

    def run(graph):
        yield graph.motifs_randesu(size)

    return in_igraph, run


def evoke(patterns, induced):
    """Counts of all subgraphs of 3 to 4 or 5 vertices at every vertex and orbit, as PyPI's orbitsi has EVOKE."""
    from _evoke_cpp import evoke_count_csr

    size = max(order for order, *_ in patterns)

    def run(graph):
        yield [evoke_count_csr(*graph, size, parallel=False)]

    return in_evoke, run


def by_orbit(patterns, found):
    """Occurrences in the order of the patterns; the orbits of a pattern are those met in itself, induced."""
    from orbitsi.orbit.orbit_converter import OrbitMatrixConverter

    size = max(order for order, *_ in patterns)
    blocks = dict(OrbitMatrixConverter.BLOCKS)
    sums, totals = found[0].sum(axis=0), []
    for pattern in patterns:
        [own] = next(evoke([(size, None)], True)[1](in_evoke(*pattern)))
        own = OrbitMatrixConverter().noninduced_to_induced(own).sum(axis=0)[blocks[pattern[0]]]
        orbit = int(own.nonzero()[0][0])
        totals.append(int(sums[blocks[pattern[0]]][orbit]) // int(own[orbit]))
    return totals


def by_size(patterns, found):
    """Occurrences by number of vertices."""
    sizes = {order: at for at, (order, *_) in enumerate(patterns)}
    totals = [0] * len(patterns)
    for occurrence in found:
        totals[sizes[len(occurrence)]] += 1
    return totals


def by_class(patterns, found):
    """Motif totals in the order of the patterns: igraph numbers them its own way."""
    from igraph import Graph

    size, totals = patterns[0][0], []
    for order, edges, _, _ in patterns:
        shape = Graph(n=order, edges=edges)
        same = [at for at in range(len(found)) if Graph.Isoclass(n=size, cls=at).isomorphic(shape)]
        totals.append(int(found[same[0]]))
    return totals


LIBRARIES = {
    "rustworkx vf2": rustworkx_vf2,
    "rustworkx counts": rustworkx_counts,
    "rustworkx tables": rustworkx_tables,
    "networkx matcher": networkx_matcher,
    "graph-tool vf2": graph_tool_vf2,
    "igraph cycles": igraph_cycles,
    "igraph cliques": igraph_cliques,
    "igraph motifs": igraph_motifs,
    "evoke": evoke,
}
TALLIES = {
    "igraph cycles": by_size,
    "igraph cliques": by_size,
    "igraph motifs": by_class,
    "evoke": by_orbit,
}

inputs = {}


def work(request):
    path = request["input"]
    if path not in inputs:
        inputs[path] = Input(path)
    patterns = [
        (p["order"], [tuple(e) for e in p["edges"]], p["labels"], p["directed"])
        for p in request["patterns"]
    ]
    build, run = LIBRARIES[request["library"]](patterns, request["induced"])
    graphs = inputs[path].form(build)
    if hasattr(run, "probe"):
        run.probe(graphs[:: max(1, len(graphs) // 50)])
    return graphs, patterns, run


def total(maps, order):
    """Number of maps, listed or counted vertex by vertex."""
    if isinstance(maps, Counter):
        return sum(maps.values()) // order
    return sum(1 for _ in maps)


def check(request):
    """Totals over as many graphs as the limit of seconds allows: maps, or occurrences."""
    graphs, patterns, run = work(request)
    tally = TALLIES.get(request["library"])
    totals, done, begin = [0] * len(patterns), 0, time.process_time()
    for graph in graphs[: request["graphs"]]:
        if tally is None:
            found = [total(maps, order) for maps, (order, *_) in zip(run(graph), patterns)]
        else:
            found = tally(patterns, next(iter(run(graph))))
        totals = [a + b for a, b in zip(totals, found)]
        done += 1
        if time.process_time() - begin > request["limit"]:
            break
    return {"totals": totals, "graphs": done, "maps": tally is None}


def clock(request):
    graphs, _, run = work(request)
    graphs = graphs[: request["graphs"]]
    gc.collect()
    begin = time.process_time()
    for graph in graphs:
        for found in run(graph):
            exhaust(found)
    return {"seconds": time.process_time() - begin}


def strings(path):
    with open(path, newline="") as file:
        return [row["smiles"] for row in csv.DictReader(file)]


def molecules(request):
    """`smiles2graph` over a CSV file's column `smiles`; with `check` also totals of the graphs."""
    import igraph
    from ogb.utils import smiles2graph
    from rdkit import RDLogger

    RDLogger.DisableLog("rdApp.*")
    column = strings(request["input"])

    def graphs():
        for smiles in column:
            try:
                yield smiles2graph(smiles)
            except AttributeError:
                # RDKit gave no molecule: today's version refuses some valences of the file.
                yield None

    gc.collect()
    begin = time.process_time()
    if not request["check"]:
        exhaust(graphs())
        return {"seconds": time.process_time() - begin}
    refused, vertices, cycles = [], 0, [0] * 6
    for row, graph in enumerate(graphs()):
        if graph is None:
            refused.append(row)
            continue
        vertices += graph["num_nodes"]
        bonds = igraph.Graph(n=graph["num_nodes"], edges=graph["edge_index"].T[::2].tolist())
        for cycle in bonds.simple_cycles(min=3, max=8):
            cycles[len(cycle) - 3] += 1
    return {"refused": refused, "vertices": vertices, "cycles": cycles}


def refinement(request):
    """networkx' Weisfeiler-Lehman hash, with its own number of iterations, until time is up."""
    from networkx import weisfeiler_lehman_graph_hash

    path = request["input"]
    if path not in inputs:
        inputs[path] = Input(path)
    graphs = inputs[path].form(in_networkx)
    hashes, done = [], 0
    gc.collect()
    begin = time.process_time()
    for graph in graphs:
        hashes.append(weisfeiler_lehman_graph_hash(graph))
        done += 1
        if time.process_time() - begin > request["limit"]:
            break
    seconds = time.process_time() - begin
    return {"seconds": seconds, "graphs": done, "hashes": hashes if request["check"] else None}


def versions(request):
    """Version of every peer, or why it cannot be used."""
    found = {}
    for name in request["modules"]:
        try:
            module = __import__(name)
            known = getattr(module, "__version__", None) or metadata.version(name)
            found[name] = {"version": known.split(" ")[0]}
        except Exception as error:
            found[name] = {"missing": f"{type(error).__name__}: {error}"}
    return {"python": sys.version.split()[0], "modules": found}


COMMANDS = {
    "check": check,
    "time": clock,
    "molecules": molecules,
    "wl": refinement,
    "versions": versions,
}

# Answers go to the stream that was given; what peers print themselves goes nowhere.
answers = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = COMMANDS[asked["command"]](asked)
    except Exception as error:
        answer = {"error": f"{type(error).__name__}: {error}"}
    print(json.dumps(answer), file=answers, flush=True)
