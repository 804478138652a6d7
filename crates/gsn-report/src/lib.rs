//! What is looked at rather than read: pictures of graphs, patterns and molecules, and reports of runs.
//!
//! | module | what it makes |
//! |---|---|
//! | [`draw`] | graphs, patterns and molecules as SVG, small graphs in a terminal |
//! | [`explain`] | what moved a prediction |
//! | [`report()`] | runs and other results as one HTML file |
//! | [`Demo`] | the page of the demo |
//! | [`shell_word`] | words of commands that can be pasted |
//!
//! A report is put together from typed elements (`html`), into which texts come by being escaped
//! only; charts are those of [`gsn_lab::chart`].

pub mod draw;
pub mod explain;

mod compare;
mod counted;
mod demo;
mod html;
mod open;
mod other;
mod picture;
mod plot;
mod run;
mod shell;
mod words;

pub use demo::Demo;
pub use shell::shell_word;

use gsn_lab::Result;
use html::{Page, Section, paragraph};
use open::Source;
use run::RunFolder;
use std::path::Path;

/// One file that shows what is at these paths: folders of runs, sweeps and searches, JSON of
/// `separate`, `suggest` and `explain`, count tables, kept results. Several runs stand side by side.
///
/// Nothing is locked or changed, and no network is asked; a run that is under way or was killed is
/// reported as far as it came.
///
/// # Errors
/// If a path is nothing that has a report, or a file of it is damaged.
pub fn report(paths: &[impl AsRef<Path>]) -> Result<String> {
    let mut sources = Vec::new();
    for path in paths {
        sources.extend(Source::open(path.as_ref())?);
    }
    let runs: Vec<&RunFolder> = sources
        .iter()
        .filter_map(|source| match source {
            Source::Run(run) => Some(&**run),
            _ => None,
        })
        .collect();
    let mut page = match &sources[..] {
        [one] => {
            let mut page = Page::new(one.title(), one.opening());
            page.add(None, one.sections());
            return Ok(finished(page));
        }
        _ if runs.len() > 1 => compare::page(&runs),
        all => Page::new("Report", paragraph(format!("{} results.", all.len()))),
    };
    for source in &sources {
        if runs.len() > 1 && matches!(source, Source::Run(_)) {
            continue;
        }
        let mut sections = vec![Section::new("In short", source.opening())];
        sections.extend(source.sections());
        page.add(Some(source.title()), sections);
    }
    Ok(finished(page))
}

fn finished(page: Page) -> String {
    page.finish(&format!("Made by gsn {}.", env!("CARGO_PKG_VERSION")))
}
