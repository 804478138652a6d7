//! Where results go: files in the target directory and, on request, `benches/` in the sources.

use crate::{work_dir, workspace};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::Command;

/// Prints a result, keeps it as `name.md` and, if it is wanted there, puts it into
/// `benches/README.md`, too.
///
/// # Errors
/// When a file cannot be written, or the page has no place for it.
#[allow(clippy::print_stdout, reason = "benchmarks are programs that print")]
pub fn result(name: &str, text: &str, into_page: bool) -> Result<()> {
    println!("\n{text}");
    println!("written to {}", save(&format!("{name}.md"), text)?.display());
    if into_page {
        into_readme(name, text)?;
    }
    Ok(())
}

/// Writes a result beside the other files of the benchmarks and says where.
///
/// # Errors
/// When the file cannot be written.
pub fn save(name: &str, text: &str) -> Result<PathBuf> {
    let path = work_dir().join(name);
    std::fs::create_dir_all(work_dir())?;
    std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(path)
}

/// Replaces the part of `benches/README.md` between `<!-- name -->` and `<!-- /name -->`.
fn into_readme(name: &str, text: &str) -> Result<()> {
    let path = workspace().join("benches/README.md");
    let old = std::fs::read_to_string(&path).context("no benches/README.md")?;
    let new = replace(&old, name, text).with_context(|| format!("no <!-- {name} --> there"))?;
    Ok(std::fs::write(&path, new)?)
}

fn replace(old: &str, name: &str, text: &str) -> Option<String> {
    let (open, close) = (format!("<!-- {name} -->"), format!("<!-- /{name} -->"));
    let begin = old.find(&open)? + open.len();
    let end = begin + old[begin..].find(&close)?;
    Some(format!("{}\n\n{}\n\n{}", &old[..begin], text.trim(), &old[end..]))
}

/// What was measured, and what on: `At commit 1234567, PROCESSOR, 2 cores, 24 GB`.
///
/// # Errors
/// When git cannot tell the commit.
pub fn made_at() -> Result<String> {
    Ok(format!("At commit {}, {}", commit()?, machine()))
}

/// The commit that was measured, marked where the sources differ from it.
fn commit() -> Result<String> {
    let ask = |arguments: &[&str]| -> Result<String> {
        let mut git = Command::new("git");
        let ran = git.args(arguments).current_dir(workspace()).output().context("no git")?;
        anyhow::ensure!(ran.status.success(), "git {} failed", arguments.join(" "));
        Ok(String::from_utf8(ran.stdout)?.trim().to_owned())
    };
    let commit = ask(&["rev-parse", "--short", "HEAD"])?;
    let changes = ask(&["status", "--porcelain", "--", "crates"])?;
    Ok(if changes.is_empty() { commit } else { format!("{commit} with changes") })
}

/// Processor, cores, memory.
fn machine() -> String {
    let read = |path: &str| std::fs::read_to_string(path).unwrap_or_default();
    let after = |text: &str, key: &str| {
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let processor = after(&read("/proc/cpuinfo"), "model name");
    let memory = after(&read("/proc/meminfo"), "MemTotal")
        .and_then(|text| text.split_whitespace().next()?.parse::<u64>().ok());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let mut text = format!("{cores} cores");
    if let Some(name) = processor {
        text = format!("{name}, {text}");
    }
    if let Some(kilobytes) = memory {
        text += &format!(", {} GB", kilobytes.div_ceil(1 << 20));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::replace;

    #[test]
    fn only_the_marked_part_changes() {
        let old = "a\n<!-- x -->\nold\n<!-- /x -->\nb";
        let new = replace(old, "x", "new\n").unwrap();
        assert_eq!(new, "a\n<!-- x -->\n\nnew\n\n<!-- /x -->\nb");
        assert_eq!(replace(&new, "x", "new"), Some(new.clone()));
        assert_eq!(replace(old, "y", "new"), None);
    }
}
