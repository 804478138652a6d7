//! Graphs that are left of others, row by row: rows come out sorted, so nothing has to be sorted again,
//! and the caller may look at its limits after every one of them.

use crate::count::budget::Looks;
use crate::count::twins::TwinClasses;
use crate::graph::Graph;

/// The graph of the vertices that stay, numbered in the same order.
pub(super) fn without<E, L: Fn() -> Result<(), E>>(
    graph: &Graph,
    stays: &[bool],
    looks: &mut Looks<L>,
) -> Result<Graph, E> {
    let mut number = Vec::with_capacity(stays.len());
    let mut next = 0;
    for &stays in stays {
        number.push(if stays { next } else { u32::MAX });
        next += u32::from(stays);
    }
    let (mut offsets, mut targets) = (vec![0], Vec::new());
    for v in (0..graph.order() as u32).filter(|&v| stays[v as usize]) {
        looks.after(1 + graph.degree(v))?;
        let new = graph.neighbors(v).iter().map(|&w| number[w as usize]);
        targets.extend(new.filter(|&w| w < u32::MAX));
        offsets.push(targets.len() as u32);
    }
    Ok(Graph::from_rows(offsets, targets))
}

/// The graph of the classes, and the classes in the order of its vertices: those with most
/// neighbours first.
pub(super) fn of_classes<E, L: Fn() -> Result<(), E>>(
    classes: &TwinClasses,
    graph: &Graph,
    looks: &mut Looks<L>,
) -> Result<(Graph, Vec<usize>), E> {
    let mut degrees = Vec::with_capacity(classes.len());
    for c in 0..classes.len() {
        degrees.push(classes.neighbors(graph, c).count());
        looks.after(1 + graph.degree(classes.first[c]))?;
    }
    let order = by_falling(&degrees);
    let mut number = vec![0u32; order.len()];
    let (mut offsets, mut end) = (vec![0], 0);
    for (new, &c) in (0..).zip(&order) {
        number[c] = new;
        end += degrees[c] as u32;
        offsets.push(end);
    }
    // Every class puts its number into the rows of its neighbours, one class after the other.
    let mut next = offsets.clone();
    let mut targets = vec![0; end as usize];
    for (new, &c) in (0..).zip(&order) {
        looks.after(1 + graph.degree(classes.first[c]))?;
        for d in classes.neighbors(graph, c) {
            let at = &mut next[number[d] as usize];
            targets[*at as usize] = new;
            *at += 1;
        }
    }
    Ok((Graph::from_rows(offsets, targets), order))
}

/// Places in order of falling numbers, those of equal numbers in their own order.
fn by_falling(numbers: &[usize]) -> Vec<usize> {
    let most = numbers.iter().max().map_or(0, |&most| most);
    let mut next = vec![0usize; most + 2];
    for &number in numbers {
        next[most - number + 1] += 1;
    }
    for at in 1..next.len() {
        next[at] += next[at - 1];
    }
    let mut order = vec![0; numbers.len()];
    for (place, &number) in numbers.iter().enumerate() {
        let at = &mut next[most - number];
        order[*at] = place;
        *at += 1;
    }
    order
}
