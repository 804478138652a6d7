//! `final`: after the epoch is chosen, networks are fitted on all rows.
//!
//! Nothing is left to choose by, so everything is taken from the units of the selection: of the
//! one whose chosen epoch is the median (the smaller of two) the number of epochs and the
//! learning rate of each. One network is fitted for every seed. They are kept in `final.gsn`
//! with the metrics and the calibration of the selection: no row is left to measure them anew.

use super::units::UnitRunner;
use super::{Event, Planned, Run};
use crate::conformal::Calibration;
use crate::dataset::Fold;
use crate::error::{Error, Result};
use crate::model_file::{Member, ModelFile};
use crate::pipeline::Reader;
use crate::protocol::{Outcome, Plan, Role};
use crate::run::Folder;
use crate::train::{Measures, Row, Schedule, Settings};
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};

/// What was fitted on all rows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refit {
    /// Rows it was fitted on.
    pub rows: u64,
    /// Epochs, as chosen by the selection.
    pub epochs: u64,
    /// Networks, one for every seed.
    pub members: usize,
}

/// A unit and its epochs.
type Curve = (String, Vec<Row>);

impl Run<'_> {
    /// Fits on all rows what the units selected, and keeps it in `final.gsn`. The curves come
    /// back, too.
    pub(super) fn refit(
        &self,
        folder: &Folder,
        units: &[(&Plan, Outcome)],
        reader: Option<Reader>,
    ) -> Result<(Refit, Vec<Curve>)> {
        let Self { recipe, data, options, observer, .. } = *self;
        let mut main: Vec<_> = units.iter().filter(|(plan, _)| plan.role == Role::Main).collect();
        let mut all: Vec<u32> = main
            .iter()
            .flat_map(|(Plan { fold: Fold { train, validation, calibration, test }, .. }, _)| {
                [&train[..], validation, calibration, test].concat()
            })
            .collect();
        all.sort_unstable();
        all.dedup();
        main.sort_by_key(|(_, outcome)| outcome.epoch);
        let (_, median) = main
            .get(main.len().saturating_sub(1) / 2)
            .ok_or_else(|| Error::Training("nothing was selected that could be fitted".into()))?;
        let rates: Vec<f64> =
            median.curve.iter().take(median.epoch as usize).map(|row| row.lr).collect();
        let settings = recipe.training()?;
        let settings = Settings {
            epochs: median.epoch,
            lr: rates.first().copied().unwrap_or(settings.lr),
            schedule: Schedule::None,
            min_lr: None,
            ..settings.clone()
        };
        let plan = |&seed: &u64| Plan {
            name: format!("final-seed-{seed}"),
            role: Role::Main,
            seed,
            fold_index: None,
            fold: Fold { train: all.clone(), ..Fold::default() },
            measures: Measures::default(),
        };
        let plans: Vec<Plan> = recipe.seeds.0.iter().map(plan).collect();
        observer.event(Event::Phase("fitting on all rows"));
        let encoded = Arc::new(data.encode(recipe, &all)?);
        let parameters = encoded.config.parameters()?;
        // What molecules are made of is only looked at to find new elements.
        let reader = reader.map(|reader| match reader.molecules {
            Some(_) => {
                let graphs = all.iter().map(|&i| &data.dataset.samples[i as usize].graph);
                Reader::fit(reader.directed, reader.molecules, graphs)
            }
            None => reader,
        });
        let runner = UnitRunner {
            recipe,
            settings: &settings,
            data,
            reader: reader.clone(),
            tables: self.tables(),
            plans: &plans,
            folder,
            options,
            observer,
            same: true,
            first: Mutex::new(Some(encoded.clone())),
            rates: Some(&rates),
        };
        let mut left = 0;
        for plan in &plans {
            left += usize::from(!folder.peek(&plan.name)?.unwrap_or_default().1);
        }
        let (jobs, steps) = self.jobs(&runner, &encoded, left)?;
        drop(encoded);
        let names: Vec<String> = plans.iter().map(|plan| plan.name.clone()).collect();
        observer.event(Event::Planned(Planned {
            units: &names,
            metric: settings.metric,
            epochs: settings.epochs,
            steps,
            parameters,
            jobs: jobs.jobs,
            threads: jobs.threads,
        }));
        let outcomes = runner.run(jobs)?;
        let mut card = ModelFile::open(folder.root().join("model.gsn"))?.card;
        card.reader = reader;
        // The errors are of other networks than these.
        card.calibration = card.calibration.map(Calibration::pooled);
        card.final_rows = Some(all.len() as u64);
        let open = |unit: &String| -> Result<Member> {
            let file = ModelFile::open(folder.unit(unit).join("model.gsn"))?;
            Ok(Member { unit: unit.clone(), ..file.first })
        };
        let members: Vec<Member> = names.iter().map(open).collect::<Result<_>>()?;
        let refit =
            Refit { rows: all.len() as u64, epochs: settings.epochs, members: members.len() };
        let file = ModelFile::new(members, card)
            .ok_or_else(|| Error::Training("there is no seed to fit with".into()))?;
        folder.put("final.gsn", &file.to_bytes()?)?;
        let curves = names.into_iter().zip(outcomes.into_iter().map(|outcome| outcome.curve));
        Ok((refit, curves.collect()))
    }
}
