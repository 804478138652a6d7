//! Links in the documentation: every file and every heading they name is there.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// What is wrong with the links of all pages, and what is not in the book.
pub(crate) fn broken(root: &Path) -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    let book = root.join("docs/src");
    let summary = read(&book.join("SUMMARY.md"))?;
    for page in pages(root)? {
        check(&page, &mut wrong)?;
        if page.parent() != Some(&book) {
            continue;
        }
        let name = page.file_name().unwrap_or_default().to_string_lossy();
        if name != "SUMMARY.md" && !summary.contains(&format!("({name})")) {
            wrong.push(format!("{}: not in SUMMARY.md", page.display()));
        }
        for link in links(&read(&page)?).iter().filter(|link| link.starts_with("..")) {
            wrong.push(format!("{}: {link} leads out of the book", page.display()));
        }
    }
    Ok(wrong)
}

/// The markdown files below a folder, but not what was built or what version control keeps.
fn pages(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut pages = Vec::new();
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    for path in entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            pages.extend(self::pages(&path)?);
        } else if name.ends_with(".md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}

/// Adds the links of one page that lead nowhere.
fn check(page: &Path, wrong: &mut Vec<String>) -> Result<()> {
    for link in links(&read(page)?) {
        let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
        let target = match file {
            "" => page.to_owned(),
            file => page.parent().unwrap_or(Path::new("")).join(file),
        };
        let is_there = target.exists()
            && (heading.is_empty() || headings(&read(&target)?).iter().any(|id| id == heading));
        if !is_there {
            wrong.push(format!("{}: {link} leads nowhere", page.display()));
        }
    }
    Ok(())
}

/// The lines of a page that are not code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut code = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        code ^= fence;
        !code && !fence
    })
}

/// The targets of links and images that are not on another host.
fn links(text: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(text) {
        // Between backquotes there is code.
        let words: String = line.split('`').step_by(2).collect();
        let targets = words.split("](").skip(1).filter_map(|rest| rest.split([')', ' ']).next());
        links.extend(targets.filter(|link| !link.contains("://")).map(str::to_owned));
    }
    links
}

/// The anchors of a page's headings, as mdBook and code hosts make them.
fn headings(text: &str) -> Vec<String> {
    let titles = prose(text).filter(|line| line.starts_with('#'));
    let letter = |letter: char| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ => letter.is_alphanumeric().then_some(letter),
    };
    titles
        .map(|line| {
            let title = line.trim_start_matches('#').trim().to_lowercase();
            title.chars().filter_map(letter).collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_and_headings_are_found() {
        let text = "# One `x` & two\n[a](b.md#c) `[no](code)`\n```\n[no](code)\n```\n![i](p.svg)\n";
        assert_eq!(links(text), ["b.md#c", "p.svg"]);
        assert_eq!(headings(text), ["one-x--two"]);
        assert!(links("[far](https://example.org)").is_empty());
    }

    #[test]
    fn every_page_of_the_repository_is_in_order() {
        assert_eq!(broken(&crate::root()).unwrap(), Vec::<String>::new());
    }
}
