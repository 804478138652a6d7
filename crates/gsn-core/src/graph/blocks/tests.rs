use super::*;
use std::cell::Cell;

/// Vertices and edges of a block, as they are kept.
fn lists(block: Block<'_>) -> [Vec<u32>; 2] {
    match block {
        Block::Ring { vertices, edges } => [vertices.to_vec(), edges.to_vec()],
        Block::Theta(Theta { ends, paths }) => [
            ends.iter().chain(paths.iter().flat_map(|path| path.between)).copied().collect(),
            paths.iter().flat_map(|path| path.edges).copied().collect(),
        ],
        Block::Mesh(mesh) => [mesh.vertices.to_vec(), mesh.edges.to_vec()],
    }
}

fn is_ring(block: Block<'_>) -> bool {
    matches!(block, Block::Ring { .. })
}

/// Nothing stops the search.
fn never() -> Result<(), ()> {
    Ok(())
}

fn blocks(order: usize, edges: &[(u32, u32)]) -> (Graph, Blocks) {
    let graph = Graph::from_edges(order, edges.iter().copied()).unwrap();
    let mut blocks = Blocks::default();
    blocks.find(&graph, never).unwrap();
    (graph, blocks)
}

/// Two triangles on a bridge, one of them sharing vertex 2 with a diamond, and a tail.
#[test]
fn cut_vertices_part_blocks_and_bridges_vanish() {
    let (graph, blocks) = blocks(
        12,
        &[
            (0, 1),
            (1, 2),
            (0, 2),
            (2, 3),
            (3, 4),
            (4, 5),
            (5, 2),
            (3, 5),
            (0, 6),
            (6, 7),
            (7, 8),
            (8, 6),
            (8, 9),
            (9, 10),
        ],
    );
    let mut found: Vec<(Vec<u32>, bool)> = blocks
        .iter()
        .map(|block| {
            let [mut vertices, _] = lists(block);
            vertices.sort_unstable();
            (vertices, is_ring(block))
        })
        .collect();
    found.sort();
    assert_eq!(found, [(vec![0, 1, 2], true), (vec![2, 3, 4, 5], false), (vec![6, 7, 8], true)]);
    let diamond = blocks.iter().find(|&block| !is_ring(block)).unwrap();
    assert_eq!(lists(diamond)[0], [3, 5, 2, 4]);
    let edge = |a, b| graph.edge_id(graph.arc_id(a, b).unwrap()) as u32;
    let Block::Theta(Theta { paths, .. }) = diamond else { panic!("{diamond:?}") };
    assert_eq!(paths[0], Path { edges: &[edge(3, 2), edge(2, 5)], between: &[2] });
    assert_eq!(paths[1], Path { edges: &[edge(3, 4), edge(4, 5)], between: &[4] });
    assert_eq!(paths[2], Path { edges: &[edge(3, 5)], between: &[] });
}

/// Three squares around a vertex: a block with more than two independent cycles.
#[test]
fn meshes_have_rows_and_sorted_arcs() {
    let (graph, blocks) = blocks(
        8,
        &[(7, 0), (7, 2), (7, 4), (0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (6, 7)],
    );
    assert_eq!(blocks.len(), 1);
    let Block::Mesh(mesh) = blocks.get(0) else { panic!("{:?}", blocks.get(0)) };
    let Neighbors::Rows(rows) = mesh.neighbors else { panic!("{mesh:?}") };
    assert_eq!(mesh.vertices, [0, 2, 4, 7, 1, 3, 5]);
    for v in 0..mesh.order() {
        let row = bits(rows[v]);
        for (arc, w) in mesh.arcs(v).zip(row) {
            let (a, b) = (mesh.vertices[v], mesh.vertices[w]);
            let edge = graph.edge_id(graph.arc_id(a, b).unwrap());
            assert_eq!(edge, mesh.edges[arc] as usize);
        }
        assert_eq!(mesh.arcs(v).len(), rows[v].count_ones() as usize);
    }
}

#[test]
fn trees_have_no_blocks_and_memory_is_reused() {
    let (_, mut blocks) = blocks(5, &[(0, 1), (1, 2), (1, 3)]);
    assert_eq!(blocks.len(), 0);
    let ring = Graph::from_edges(100, (0..100).map(|v| (v, (v + 1) % 100))).unwrap();
    blocks.find(&ring, never).unwrap();
    assert_eq!(blocks.len(), 1);
    assert!(is_ring(blocks.get(0)));
    assert_eq!((blocks.get(0).order(), blocks.get(0).kept_edges()), (100, 100));
    blocks.find(&Graph::from_edges(0, []).unwrap(), never).unwrap();
    assert_eq!(blocks.len(), 0);
}

/// A ring with chords and a tail, of more vertices than a word holds: stopped at any look, the search
/// begins anew.
#[test]
fn a_search_that_was_stopped_leaves_nothing_behind() {
    // A new one every time, whose edges are not numbered yet.
    let graph = || {
        let ring = (0..90).map(|v| (v, (v + 1) % 90)).chain((0..30).map(|v| (v, v + 45)));
        Graph::from_edges(100, ring.chain((90..100).map(|v| (v - 1, v)))).unwrap()
    };
    let found = |blocks: &Blocks| -> Vec<_> { blocks.iter().map(lists).collect() };
    let (mut blocks, looks) = (Blocks::default(), Cell::new(0u32));
    let count = || -> Result<(), ()> {
        looks.set(looks.get() + 1);
        Ok(())
    };
    blocks.find(&graph(), count).unwrap();
    let (expected, looks) = (found(&blocks), looks.get());
    assert!(looks > 50);
    for last in 0..looks {
        let left = Cell::new(last);
        let look = || left.get().checked_sub(1).map(|less| left.set(less)).ok_or(());
        assert_eq!(blocks.find(&graph(), look), Err(()));
        assert_eq!(blocks.len(), 0);
        blocks.find(&graph(), never).unwrap();
        assert_eq!(found(&blocks), expected);
    }
}

proptest::proptest! {
    /// Both searches find the same blocks, numbered alike inside.
    #[test]
    fn words_and_lists_agree(
        n in 1..64u32, edges in proptest::collection::vec((0..64u32, 0..64u32), 0..90)
    ) {
        let edges = edges.into_iter().map(|(u, v)| (u % n, v % n));
        let graph = Graph::from_edges(n as usize, edges).unwrap();
        let in_lists = |blocks: &mut Blocks, graph: &Graph| {
            blocks.find_in_lists(graph, &never).unwrap();
        };
        let found = |find: fn(&mut Blocks, &Graph)| {
            let mut blocks = Blocks::default();
            find(&mut blocks, &graph);
            let mut found: Vec<_> = blocks
                .iter()
                .map(|block| {
                    let mut lists = lists(block);
                    // Rings are sets, and only one of the searches tells thetas from meshes.
                    if let Block::Mesh(Mesh { starts, neighbors, .. }) = block
                        && lists[1].len() != 2 * block.order() + 2
                    {
                        let Neighbors::Rows(rows) = neighbors else { panic!("{block:?}") };
                        return (lists, starts.to_vec(), rows.to_vec());
                    }
                    lists.iter_mut().for_each(|list| list.sort_unstable());
                    lists[1].dedup();
                    (lists, vec![], vec![])
                })
                .collect();
            found.sort();
            found
        };
        proptest::prop_assert_eq!(found(Blocks::find_in_words), found(in_lists));
    }

    /// Every edge of a cycle is in exactly one block: those and only those edges whose
    /// removal keeps their ends connected.
    #[test]
    fn blocks_hold_the_edges_that_are_no_bridges(
        edges in proptest::collection::vec((0..14u32, 0..14u32), 0..30)
    ) {
        let graph = Graph::from_edges(14, edges).unwrap();
        let mut blocks = Blocks::default();
        blocks.find(&graph, never).unwrap();
        let mut seen = vec![0; graph.edge_count()];
        for block in blocks.iter() {
            let once = if matches!(block, Block::Mesh(_)) { 1 } else { 2 };
            for edge in &lists(block)[1] {
                seen[*edge as usize] += once;
            }
        }
        let edges: Vec<_> = graph.edges().collect();
        for (edge, &(u, v)) in edges.iter().enumerate() {
            let mut reached = vec![false; graph.order()];
            let mut stack = vec![u];
            while let Some(x) = stack.pop() {
                if !std::mem::replace(&mut reached[x as usize], true) {
                    stack.extend(graph.neighbors(x).iter().filter(|&&y| (x, y) != (u, v)));
                }
            }
            let expected = if reached[v as usize] { 2 } else { 0 };
            proptest::prop_assert_eq!(seen[edge], expected);
        }
    }
}
