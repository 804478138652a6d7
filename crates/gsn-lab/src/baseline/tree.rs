//! One tree of a forest: split by split, each where the squared deviations from the means of both
//! sides are least. For shares of classes that is the split of least Gini impurity.

use gsn_core::random::Random;
use gsn_nn::Matrix;

/// Depth at most.
const DEPTH: u32 = 24;

/// What trees are grown on.
pub(super) struct Sample<'a> {
    /// Codes of the features, row after row.
    pub(super) coded: &'a [u8],
    /// Columns of them.
    pub(super) cols: usize,
    /// What is predicted, a row for each.
    pub(super) y: &'a Matrix<f64>,
    /// Columns that a split tries.
    pub(super) tried: usize,
    /// Rows of a leaf at least.
    pub(super) least: usize,
}

/// A node of a tree.
enum Node {
    /// Rows whose code in the column is at most the number go to the first child.
    Split { column: u32, most: u8, children: [u32; 2] },
    /// The mean of the targets.
    Leaf(Vec<f64>),
}

/// A grown tree; the first node is its root.
pub(super) struct Tree(Vec<Node>);

impl Tree {
    /// Grows on these rows, which may repeat.
    pub(super) fn grow(sample: &Sample<'_>, rows: Vec<u32>, mut random: Random) -> Self {
        let mut nodes = vec![Node::Leaf(Vec::new())];
        let mut open = vec![(0usize, rows, 0u32)];
        while let Some((at, rows, depth)) = open.pop() {
            let total = sums(sample, &rows);
            let split = match depth < DEPTH && rows.len() >= 2 * sample.least {
                true => best_split(sample, &rows, &total, &mut random),
                false => None,
            };
            let Some((column, most)) = split else {
                let n = rows.len().max(1) as f64;
                nodes[at] = Node::Leaf(total.iter().map(|sum| sum / n).collect());
                continue;
            };
            let below = |&r: &u32| sample.coded[r as usize * sample.cols + column] <= most;
            let (left, right): (Vec<u32>, Vec<u32>) = rows.iter().partition(|r| below(r));
            let children = [nodes.len() as u32, nodes.len() as u32 + 1];
            nodes[at] = Node::Split { column: column as u32, most, children };
            nodes.extend([Node::Leaf(Vec::new()), Node::Leaf(Vec::new())]);
            open.push((children[0] as usize, left, depth + 1));
            open.push((children[1] as usize, right, depth + 1));
        }
        Self(nodes)
    }

    /// The mean in the leaf that a row of codes falls into.
    pub(super) fn leaf(&self, coded: &[u8]) -> &[f64] {
        let mut at = 0;
        loop {
            match &self.0[at] {
                Node::Leaf(mean) => return mean,
                Node::Split { column, most, children } => {
                    let side = usize::from(coded[*column as usize] > *most);
                    at = children[side] as usize;
                }
            }
        }
    }
}

fn sums(sample: &Sample<'_>, rows: &[u32]) -> Vec<f64> {
    let mut total = vec![0.0; sample.y.cols()];
    for &r in rows {
        total.iter_mut().zip(sample.y.row(r as usize)).for_each(|(sum, y)| *sum += y);
    }
    total
}

/// The best of some columns and all their thresholds, if any is better than none.
fn best_split(
    sample: &Sample<'_>,
    rows: &[u32],
    total: &[f64],
    random: &mut Random,
) -> Option<(usize, u8)> {
    let (n, k) = (rows.len() as f64, total.len());
    let mut columns = random.permutation(sample.cols);
    columns.truncate(sample.tried);
    let square = |sums: &[f64], n: f64| sums.iter().map(|s| s * s).sum::<f64>() / n;
    let none = square(total, n);
    let mut best: Option<(f64, usize, u8)> = None;
    for column in columns {
        let column = column as usize;
        // Rows and sums of every code.
        let mut bins = [0u32; 256];
        let mut of_bin = vec![0.0; 256 * k];
        for &r in rows {
            let code = usize::from(sample.coded[r as usize * sample.cols + column]);
            bins[code] += 1;
            let into = &mut of_bin[code * k..(code + 1) * k];
            into.iter_mut().zip(sample.y.row(r as usize)).for_each(|(sum, y)| *sum += y);
        }
        let (mut left, mut below) = (vec![0.0; k], 0u32);
        for code in 0..256 {
            if bins[code] == 0 {
                continue;
            }
            below += bins[code];
            left.iter_mut().zip(&of_bin[code * k..(code + 1) * k]).for_each(|(l, s)| *l += s);
            let (lower, upper) = (below as usize, rows.len() - below as usize);
            if lower < sample.least || upper < sample.least {
                continue;
            }
            let right: Vec<f64> = total.iter().zip(&left).map(|(t, l)| t - l).collect();
            let gain = square(&left, lower as f64) + square(&right, upper as f64) - none;
            // What is smaller may be rounding.
            let least = best.as_ref().map_or(1e-12 * (1.0 + none.abs()), |best| best.0);
            if gain > least {
                best = Some((gain, column, code as u8));
            }
        }
    }
    best.map(|(_, column, most)| (column, most))
}
