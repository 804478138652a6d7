//! A whole page: one file that asks for nothing from elsewhere. It follows the light or dark setting
//! of the reader, fits a phone, and prints. The only script sorts tables; the page's policy names
//! its hash, so that no other script runs whatever stands in the data.

use super::{Html, tag};
use gsn_lab::chart::{colour, escape};
use sha2::{Digest, Sha256};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("sort.js");

/// Colours of charts on a dark page, in the order of [`colour`].
const ON_DARK: [&str; 10] = [
    "#4fa8e0", "#f5874f", "#2fc49a", "#e29ac4", "#f0b83c", "#7cc7f0", "#b98ac6", "#a0a0a0",
    "#c9ce3d", "#c98f5a",
];

/// A part of a page with a heading.
#[derive(Clone, Debug)]
pub(crate) struct Section {
    heading: String,
    inside: Html,
}

impl Section {
    /// A section; one with nothing in it is left out of the page.
    pub(crate) fn new(heading: impl Into<String>, inside: Html) -> Self {
        Self { heading: heading.into(), inside }
    }
}

/// A page under way.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    title: String,
    opening: Html,
    groups: Vec<(Option<String>, Vec<Section>)>,
}

impl Page {
    /// A page with what stands below its title.
    pub(crate) fn new(title: impl Into<String>, opening: Html) -> Self {
        Self { title: title.into(), opening, groups: Vec::new() }
    }

    /// Adds sections, under a heading of their own where there are several groups.
    pub(crate) fn add(&mut self, heading: Option<String>, sections: Vec<Section>) {
        let there = sections.into_iter().filter(|section| !section.inside.is_empty());
        self.groups.push((heading, there.collect()));
    }

    /// The file; `made_by` says which program wrote it.
    pub(crate) fn finish(self, made_by: &str) -> String {
        let (mut contents, mut main) = (Html::new(), Html::new());
        let mut number = 0;
        for (heading, sections) in self.groups {
            let mut inside = Html::new();
            let mut entries = Html::new();
            let level = if heading.is_some() { "h3" } else { "h2" };
            for Section { heading, inside: body } in sections {
                number += 1;
                let id = format!("s{number}");
                entries.push(entry(&id, &heading));
                let head = tag(level).attribute("id", &id).with(heading);
                inside.push(tag("section").with(head).with(body));
            }
            match heading {
                Some(heading) => {
                    number += 1;
                    let id = format!("s{number}");
                    contents.push(entry(&id, &heading));
                    let head = tag("h2").attribute("id", &id).with(heading);
                    main.push(tag("article").with(head).with(inside));
                }
                None => {
                    contents.push(entries);
                    main.push(inside);
                }
            }
        }
        let header = tag("header").with(tag("h1").with(self.title.as_str())).with(self.opening);
        let nav = tag("nav").attribute("aria-label", "Contents").with(tag("ul").with(contents));
        let body = Html::from(header)
            .and(nav)
            .and(tag("main").with(main))
            .and(tag("footer").with(made_by));
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{}'\"/>\n\
             <meta name=\"color-scheme\" content=\"light dark\"/>\n\
             <link rel=\"icon\" href=\"data:,\"/>\n<title>{}</title>\n<style>{STYLE}{}</style></head>\n\
             <body>\n{}<script>{SCRIPT}</script>\n</body></html>\n",
            base64(&Sha256::digest(SCRIPT.as_bytes())),
            escape(&self.title),
            dark_charts(),
            body.as_str()
        )
    }
}

fn entry(id: &str, heading: &str) -> Html {
    tag("li").with(tag("a").attribute("href", format!("#{id}")).with(heading)).into()
}

/// The colours of charts for dark pages.
fn dark_charts() -> String {
    let rules = ON_DARK.iter().enumerate().map(|(at, dark)| {
        let light = colour(at);
        format!("svg [stroke=\"{light}\"]{{stroke:{dark}}}svg [fill=\"{light}\"]{{fill:{dark}}}")
    });
    format!(
        "@media screen and (prefers-color-scheme:dark){{{}}}",
        rules.collect::<Vec<_>>().join("")
    )
}

/// As policies of pages write hashes.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let word = three.iter().fold(0u32, |word, &byte| word << 8 | u32::from(byte))
            << (8 * (3 - three.len()));
        for at in 0..4 {
            match at <= three.len() {
                true => text.push(char::from(LETTERS[(word >> (18 - 6 * at)) as usize & 63])),
                false => text.push('='),
            }
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_written_in_base_64() {
        let said = ["", "f", "fo", "foo", "foob"].map(|text| base64(text.as_bytes()));
        assert_eq!(said, ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg=="]);
    }

    #[test]
    fn the_script_cannot_end_itself_and_is_well_formed_text() {
        assert!(!SCRIPT.contains(['<', '&']) && !STYLE.contains(['<', '&']));
    }
}
