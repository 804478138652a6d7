//! Circulants, skip links, and strongly regular graphs with names.

use super::{GenerateError, refuse};
use crate::graph::Graph;

/// The circulant on `0..order` where v is joined to v + j and v − j for every jump j, modulo the
/// order.
///
/// # Errors
/// When a jump is not in `1..order`.
///
/// ```
/// let graph = gsn_core::generate::circulant(8, &[1, 4])?;
/// assert_eq!(graph.neighbors(0), [1, 4, 7]);
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn circulant(order: usize, jumps: &[usize]) -> Result<Graph, GenerateError> {
    if let Some(&wrong) = jumps.iter().find(|&&jump| jump == 0 || jump >= order) {
        return refuse(format!(
            "a jump of {wrong} on a circle of {order}; jumps are 1 to order - 1"
        ));
    }
    if order >= u32::MAX as usize {
        return refuse(format!("{order} vertices are too many"));
    }
    let edges = (0..order)
        .flat_map(|v| jumps.iter().map(move |jump| (v as u32, ((v + jump) % order) as u32)));
    Ok(Graph::from_edges(order, edges)?)
}

/// A circular skip link graph: a cycle where v is also joined to v + `skip` and v − `skip`.
///
/// # Errors
/// When the graph would not be 4-regular: `skip` must be from 2 to order − 2 and not order / 2.
///
/// ```
/// let graph = gsn_core::generate::csl(41, 5)?;
/// assert!((0..41).all(|v| graph.degree(v) == 4));
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn csl(order: usize, skip: usize) -> Result<Graph, GenerateError> {
    if order < 5 || skip < 2 || skip + 2 > order || 2 * skip == order {
        return refuse(format!("a skip of {skip} on a cycle of {order} makes no 4-regular graph"));
    }
    circulant(order, &[1, skip])
}

/// The rook's graph: squares of a board, joined when a rook moves between them.
///
/// # Errors
/// When the board has more squares than a graph may have vertices.
///
/// ```
/// let graph = gsn_core::generate::rook(4, 4)?;
/// assert_eq!((graph.order(), graph.edge_count()), (16, 48));
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn rook(rows: usize, columns: usize) -> Result<Graph, GenerateError> {
    let Some(order) = rows.checked_mul(columns).filter(|&order| order <= 1 << 16) else {
        return refuse(format!(
            "a board of {rows} × {columns} is too large; at most 65536 squares"
        ));
    };
    let square = |row: usize, column: usize| (row * columns + column) as u32;
    let mut edges = Vec::new();
    for row in 0..rows {
        for column in 0..columns {
            let here = square(row, column);
            edges.extend((column + 1..columns).map(|other| (here, square(row, other))));
            edges.extend((row + 1..rows).map(|other| (here, square(other, column))));
        }
    }
    Ok(Graph::from_edges(order, edges)?)
}

/// The Shrikhande graph: the other strongly regular graph with the parameters of the 4 × 4 rook's
/// graph, (16, 6, 2, 2). ℤ₄ × ℤ₄ with differences ±(1, 0), ±(0, 1), ±(1, 1).
///
/// ```
/// let graph = gsn_core::generate::shrikhande();
/// assert_eq!((graph.order(), graph.edge_count()), (16, 48));
/// ```
pub fn shrikhande() -> Graph {
    let edges = (0..16u32).flat_map(|v| {
        let (row, column) = (v / 4, v % 4);
        [(1, 0), (0, 1), (1, 1)].map(|(a, b)| (v, (row + a) % 4 * 4 + (column + b) % 4))
    });
    Graph::from_edges(16, edges).unwrap_or_else(|_| unreachable!("ends are below 16"))
}

/// The Paley graph: the elements of the field of q, joined when their difference is a square.
///
/// # Errors
/// Unless q is a prime, or the square of an odd prime, with q ≡ 1 (mod 4), and at most 10,000.
///
/// ```
/// let graph = gsn_core::generate::paley(13)?;
/// assert!((0..13).all(|v| graph.degree(v) == 6));
/// # Ok::<(), gsn_core::generate::GenerateError>(())
/// ```
pub fn paley(q: usize) -> Result<Graph, GenerateError> {
    let prime = |n: usize| n >= 2 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d));
    let root = (1..=q.min(100)).find(|r| r * r == q && prime(*r));
    if q % 4 != 1 || q > 10_000 || !(prime(q) || root.is_some()) {
        return refuse(format!(
            "{q} is no prime or square of a prime that is 1 modulo 4 and at most 10000"
        ));
    }
    // Elements a + b·√g of the field of p² as a + b·p, g not a square in the field of p.
    let p = root.unwrap_or(q);
    let square_of: Box<dyn Fn(usize) -> usize> = if root.is_some() {
        let squares: Vec<usize> = (1..p).map(|a| a * a % p).collect();
        let g = (2..p).find(|g| !squares.contains(g)).unwrap_or(2);
        Box::new(move |x| {
            let (a, b) = (x % p, x / p);
            (a * a + g * b * b) % p + 2 * a * b % p * p
        })
    } else {
        Box::new(move |x| x * x % p)
    };
    let mut is_square = vec![false; q];
    for x in 1..q {
        is_square[square_of(x)] = true;
    }
    let minus = |x: usize, y: usize| {
        let (a, b) = ((x % p + p - y % p) % p, (x / p + p - y / p) % p);
        a + b * p
    };
    let mut edges = Vec::new();
    for x in 0..q {
        edges.extend((0..x).filter(|&y| is_square[minus(x, y)]).map(|y| (x as u32, y as u32)));
    }
    Ok(Graph::from_edges(q, edges)?)
}
