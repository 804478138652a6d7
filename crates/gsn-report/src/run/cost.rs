//! What a run cost, and how to repeat it.

use super::{Reported, RunFolder};
use crate::html::{Html, code, listing, paragraph, remark, tag};
use crate::shell::shell_word;
use crate::words::grouped;
use gsn_core::memory::Bytes;
use gsn_lab::recipe::{Recipe, library};

/// Time, memory, parameters and the machine.
pub(super) fn section(run: &RunFolder) -> Html {
    let mut facts = Html::new();
    let mut fact = |name: &str, said: String| {
        facts.push(Html::from(tag("dt").with(name)).and(tag("dd").with(said)));
    };
    if let Some(seconds) = run.seconds() {
        let epochs: usize = run.curves.iter().map(|(_, rows)| rows.len()).sum();
        let each = match epochs {
            0 => String::new(),
            n => format!(", {} an epoch", duration(seconds / n as f64)),
        };
        let sessions = match run.sessions.len() {
            1 => String::new(),
            n => format!(", in {n} sessions"),
        };
        fact("time", format!("{} of training{each}{sessions}", duration(seconds)));
    }
    if let Some(last) = run.sessions.last() {
        let (jobs, threads) = (last.jobs, last.threads);
        let side = if jobs == 1 {
            "one unit at a time".to_owned()
        } else {
            format!("{jobs} units side by side")
        };
        let threads =
            if threads == 1 { "one thread".to_owned() } else { format!("{threads} threads") };
        fact("threads", format!("{side}, {threads} each"));
    }
    if let Some(bytes) = run.sessions.iter().filter_map(|session| session.peak_memory).max() {
        fact("memory", format!("{} at most", Bytes(bytes)));
    }
    if let Reported::Trained(results) = &run.reported {
        let published = run.recipe.published.as_ref().and_then(|p| p.parameters);
        let published = published.map(|n| format!("; {} are published", grouped(n)));
        let ours = grouped(results.parameters as u64);
        fact("parameters", ours + &published.unwrap_or_default());
    }
    if let Some(versions) = &run.versions {
        let cores = if versions.cores == 1 {
            "one core".to_owned()
        } else {
            format!("{} cores", versions.cores)
        };
        fact("machine", format!("{}, {cores}, {}", versions.processor, versions.system));
        fact("made by", format!("gsn {}", versions.gsn));
        let graphs = grouped(versions.data.graphs as u64);
        fact("data", format!("{graphs} graphs, sha256 {}", versions.data.sha256));
    }
    match facts.is_empty() {
        true => facts,
        false => tag("dl").with(facts).into(),
    }
}

/// The command and the recipe.
pub(super) fn repeat(run: &RunFolder) -> Html {
    let recipe = run.recipe.to_toml();
    // A name that is none of the library's could be a path, which nobody asked to open.
    let known = library::names().any(|name| name == run.recipe.name)
        && Recipe::find(&run.recipe.name).is_ok_and(|known| known == run.recipe);
    let command = match known {
        true => format!("gsn train {}", shell_word(&run.recipe.name)),
        false => {
            let path = run.path.join("recipe.toml");
            format!("gsn train {}", shell_word(&path.display().to_string()))
        }
    };
    let mut html = listing(&command);
    if !known {
        html.push(paragraph(
            Html::from("Without the folder, save what follows as ")
                .and(code("recipe.toml"))
                .and(" and train that."),
        ));
    }
    html.push(listing(&recipe));
    html.and(remark(
        "The same recipe, data, version and kind of processor give the same numbers bit for bit, for \
         any number of threads.",
    ))
}

/// `0.21 s`, `24.6 s`, `3 min 20 s`, `5 h 3 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 0.001 => format!("{:.0} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 60.0 => format!("{s:.1} s"),
        s if s < 3600.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// A setting as recipes write it.
pub(crate) fn word(value: impl serde::Serialize) -> String {
    let text = serde_json::to_value(value).ok();
    text.and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
        let said = [4e-5, 0.21, 24.63, 200.0, 18_180.0].map(duration);
        assert_eq!(said, ["40 µs", "210 ms", "24.6 s", "3 min 20 s", "5 h 3 min"]);
    }
}
