//! How large the numbers of a program can get, from the number of vertices and the largest degree.
//!
//! Every expression is a sum of products of numbers that are not negative; here each sum is
//! replaced by its number of terms times the largest of them, or by a bound of the whole row.
//! Bounds are rounded up a little at every step, so the errors of floating point do not matter.

use super::expression::{Function, FunctionForm, ONE, ONE_ARC, Place, RowForm, ScalarForm};
use super::program::Program;

/// Rounds up by more than an operation can round down.
const UP: f64 = 1.0 + 1e-12;

/// Bounds of a row: of each number, and of their sum.
#[derive(Clone, Copy)]
struct RowBound {
    most: f64,
    sum: f64,
}

/// A bound of every number that a program works out in a graph with so many vertices of at most
/// this degree.
pub(super) fn largest(program: &Program, vertices: usize, degree: usize) -> f64 {
    let (n, d) = (vertices.max(1) as f64, degree.max(1) as f64);
    let all = &program.expressions;
    let mut functions = vec![1.0f64; all.functions().len()];
    let mut largest = 1.0f64;
    let mut rows: Vec<RowBound> = Vec::new();
    for stage in &program.stages {
        for &function in &stage.functions {
            let of = |f: Function| functions[f as usize];
            let bound = match all.form(function) {
                FunctionForm::Product(factors) => factors.iter().map(|&f| of(f) * UP).product(),
                FunctionForm::NeighborSum { of: f, along } => d * of(*f) * of(*along),
                FunctionForm::Source(f) | FunctionForm::Reverse(f) => of(*f),
                FunctionForm::Triangle { first, middle, second } => {
                    d * of(*first) * of(*middle) * of(*second)
                }
                _ => 1.0,
            };
            functions[function as usize] = bound * UP;
            largest = largest.max(bound);
        }
        let Some(pass) = &stage.pass else { continue };
        // Rows are made of earlier ones; those of later stages are bounded again then.
        rows.clear();
        for form in all.rows() {
            let of = |f: Function| functions[f as usize];
            let step = |row: RowBound, along: Function| RowBound {
                most: row.sum.min(row.most * d) * of(along) * UP,
                sum: row.sum * d * of(along) * UP,
            };
            let bound = match form {
                RowForm::Edge { along, weight, .. } => {
                    let most = of(*along) * of(*weight);
                    RowBound { most, sum: most * d }
                }
                RowForm::Step { of, along } => step(rows[*of as usize], *along),
                RowForm::Reach { of } => {
                    RowBound { most: 1.0, sum: (rows[*of as usize].sum * d).min(n) }
                }
                RowForm::Join { rows: joined, steps, weight } => {
                    let parts = joined.iter().map(|&row| rows[row as usize]);
                    let parts = parts.chain(steps.iter().map(|&(r, f)| step(rows[r as usize], f)));
                    let weight = of(*weight);
                    parts.fold(RowBound { most: weight, sum: weight * n }, |one, other| RowBound {
                        most: one.most * other.most * UP,
                        sum: (one.sum * other.most).min(one.most * other.sum) * UP,
                    })
                }
            };
            rows.push(RowBound { most: bound.most * UP, sum: bound.sum * UP });
        }
        for &function in &pass.gathered {
            let FunctionForm::Gathered(gathering) = all.form(function) else { continue };
            let mut value = 1.0;
            for &scalar in &gathering.factors {
                value *= UP
                    * match all.scalars()[scalar as usize] {
                        ScalarForm::Sum(row) => rows[row as usize].sum,
                        ScalarForm::Dot(one, other) => {
                            let (one, other) = (rows[one as usize], rows[other as usize]);
                            (one.sum * other.most).min(one.most * other.sum)
                        }
                        ScalarForm::Across(one, along, other) => {
                            let (one, other) = (rows[one as usize], rows[other as usize]);
                            let along = functions[along as usize];
                            let far = (d * other.most).min(other.sum);
                            let near = (d * one.most).min(one.sum);
                            along * (one.sum * far).min(near * other.sum)
                        }
                    };
            }
            for &(_, weight) in &gathering.weights {
                value *= functions[weight as usize] * UP;
            }
            let mut inside = gathering.inside;
            while let Some((around, row)) = all.loops()[inside as usize].domain {
                value *= rows[row as usize].sum * UP;
                inside = around;
            }
            value *= match gathering.place {
                Place::Vertex(at) if at == inside => 1.0,
                Place::Vertex(_) | Place::Arc(..) => n,
                Place::ArcsFrom(at, row) if at == inside => rows[row as usize].most,
                Place::Row(row) | Place::ArcsFrom(_, row) => n * rows[row as usize].most,
                Place::Arcs(one, along, other) => {
                    let along = functions[along as usize];
                    n * rows[one as usize].most * along * rows[other as usize].most
                }
            };
            functions[function as usize] = value * UP;
            largest = largest.max(value);
        }
        for row in &rows {
            largest = largest.max(row.sum);
        }
    }
    debug_assert_eq!((ONE, ONE_ARC), (0, 1));
    largest * (1.0 + 1e-9)
}
