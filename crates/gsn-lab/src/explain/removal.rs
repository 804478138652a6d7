//! Effects by exact removal: f(x) − f(x without a pattern or an occurrence).
//!
//! Without a pattern its columns are zero; without an occurrence every cell it is counted in is 1 less for every time it
//! is. What is left is encoded as any other counts are, so a count that training never saw goes where such counts go.

use super::{Explainer, PatternEffect};
use crate::dataset::Sample;
use crate::error::Result;
use gsn_core::Counts;
use gsn_nn::GraphInput;

/// Predictions that are made together.
const TOGETHER: usize = 64;

/// What the network says without something, and whether that has counts it never saw.
type Said = (Option<Vec<f64>>, bool);

/// The prediction and the one without any pattern, or why there are none.
type Both = Result<(Vec<f64>, Vec<f64>), String>;

impl Explainer<'_> {
    /// Fills in the removals.
    pub(super) fn remove(
        &self,
        sample: &Sample,
        counts: &Counts,
        patterns: &mut [PatternEffect],
    ) -> Result<Both> {
        let values = counts.values();
        let (whole, seen) = match self.read(sample, counts, values.to_vec()) {
            Ok(read) => read,
            Err(reason) => return Ok(Err(reason)),
        };
        let (absent, _) = match self.read(sample, counts, vec![0; values.len()]) {
            Ok(read) => read,
            Err(reason) => return Ok(Err(format!("with no pattern in it: {reason}"))),
        };
        let mut said = self.predictor.say(&[whole, absent]).into_iter();
        let (Some(Some(prediction)), Some(Some(absent))) = (said.next(), said.next()) else {
            return Ok(Err("the network gives no finite number".into()));
        };
        let columns = counts.columns().len();
        let without_pattern = |pattern: &PatternEffect| {
            let mut left = values.to_vec();
            for (at, cell) in left.iter_mut().enumerate() {
                if counts.columns()[at % columns].pattern() == pattern.pattern {
                    *cell = 0;
                }
            }
            left
        };
        let less = |said: Vec<f64>| -> Vec<f64> {
            prediction.iter().zip(said).map(|(with, without)| with - without).collect()
        };
        let tables = patterns.iter().map(without_pattern);
        let said = self.say_all(sample, counts, tables, seen)?;
        for (pattern, (said, unseen)) in patterns.iter_mut().zip(said) {
            (pattern.effect.removal, pattern.effect.unseen) = (said.map(less), unseen);
        }
        for pattern in patterns {
            let at = pattern.pattern;
            let tables = pattern.occurrences.iter().map(|occurrence| {
                let mut left = values.to_vec();
                for (row, column) in self.coverage.cells(at, &occurrence.vertices, &sample.graph) {
                    left[row * columns + column] -= 1;
                }
                left
            });
            let said = self.say_all(sample, counts, tables, seen)?;
            for (occurrence, (said, unseen)) in pattern.occurrences.iter_mut().zip(said) {
                (occurrence.effect.removal, occurrence.effect.unseen) = (said.map(less), unseen);
            }
        }
        Ok(Ok((prediction, absent)))
    }

    /// What the networks read of a graph with these counts, and how much of that they never saw.
    fn read(
        &self,
        sample: &Sample,
        counts: &Counts,
        values: Vec<u64>,
    ) -> Result<(Vec<GraphInput>, u64), String> {
        let columns = counts.columns().into();
        let counts = Counts::from_parts(counts.scope(), columns, counts.rows(), values);
        let (inputs, unseen) = self.predictor.encode(sample, counts.as_ref())?;
        Ok((inputs, unseen.counts))
    }

    /// What the networks say with each of these tables of counts, a few at a time.
    fn say_all(
        &self,
        sample: &Sample,
        counts: &Counts,
        mut tables: impl Iterator<Item = Vec<u64>>,
        seen: u64,
    ) -> Result<Vec<Said>> {
        let mut all = Vec::new();
        loop {
            let some: Vec<_> = (&mut tables)
                .take(TOGETHER)
                .map(|table| self.read(sample, counts, table))
                .collect();
            if some.is_empty() {
                return Ok(all);
            }
            self.monitor.check()?;
            let unseen: Vec<Option<u64>> =
                some.iter().map(|read| read.as_ref().ok().map(|(_, unseen)| *unseen)).collect();
            let readable: Vec<Vec<GraphInput>> =
                some.into_iter().flatten().map(|(inputs, _)| inputs).collect();
            let mut said = self.predictor.say(&readable).into_iter();
            all.extend(unseen.into_iter().map(|unseen| match unseen {
                Some(unseen) => (said.next().flatten(), unseen > seen),
                None => (None, true),
            }));
        }
    }
}
