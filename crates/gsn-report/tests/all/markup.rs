//! A page read as XML: which elements and attributes there are, and what it says.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use std::collections::BTreeSet;

/// What a page holds.
#[derive(Debug, Default)]
pub(crate) struct Markup {
    pub(crate) elements: BTreeSet<String>,
    pub(crate) attributes: BTreeSet<String>,
    /// Values of `href` and `src`.
    pub(crate) links: BTreeSet<String>,
    /// All text, element after element.
    pub(crate) text: String,
    pub(crate) scripts: usize,
}

impl Markup {
    /// Reads a page, which must be well-formed.
    pub(crate) fn of(page: &str) -> Self {
        let mut found = Self::default();
        let mut reader = Reader::from_str(page);
        reader.config_mut().check_end_names = true;
        let mut open: Vec<String> = Vec::new();
        loop {
            match reader.read_event().unwrap_or_else(|e| panic!("not well-formed: {e}")) {
                Event::Start(start) => open.push(found.element(&start)),
                Event::Empty(start) => {
                    found.element(&start);
                }
                Event::End(_) => {
                    open.pop();
                }
                Event::Text(text) => {
                    if open.last().is_none_or(|name| name != "script" && name != "style") {
                        found.text += &text;
                    }
                }
                Event::GeneralRef(name) => {
                    found.text += match &*name {
                        "amp" => "&",
                        "lt" => "<",
                        "gt" => ">",
                        "quot" => "\"",
                        "#39" => "'",
                        other => panic!("&{other};"),
                    };
                }
                Event::Eof => break,
                Event::DocType(_) => {}
                other => panic!("{other:?}"),
            }
        }
        assert!(open.is_empty(), "{open:?}");
        found
    }

    fn element(&mut self, start: &BytesStart<'_>) -> String {
        let name = start.name().0.to_owned();
        self.scripts += usize::from(name == "script");
        for attribute in start.attributes() {
            let attribute = attribute.unwrap();
            let key = attribute.key.0.to_owned();
            if key == "href" || key == "src" {
                self.links.insert(attribute.value.into_owned());
            }
            self.attributes.insert(key);
        }
        self.elements.insert(name.clone());
        name
    }
}
