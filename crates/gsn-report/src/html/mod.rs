//! Markup that cannot be broken by what stands in it: a text becomes [`Html`] by being escaped, and
//! there is no other way in but for pictures, which escape their own texts.
//!
//! | file | what |
//! |---|---|
//! | `page` | a whole page: head, style, contents, script |
//! | `table` | tables that sort by a click |
//!
//! Every element is closed and every attribute quoted, so that a page is also well-formed XML.

mod page;
mod table;

pub(crate) use page::{Page, Section};
pub(crate) use table::{Cell, Table};

use gsn_lab::chart::{Line, Plot, clipped, colour, escape, plots};
use std::fmt::Display;

/// Characters of a text that is not listed in full, at most: names in data can be of any length.
const MOST: usize = 900;
/// Characters of an attribute, at most.
const MOST_OF_ATTRIBUTE: usize = 240;

/// A piece of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Html(String);

impl Html {
    /// Nothing.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A text, however long it is.
    pub(crate) fn text(text: impl Display) -> Self {
        Self(escape(&text.to_string()))
    }

    /// This and something behind it.
    #[must_use]
    pub(crate) fn and(mut self, more: impl Into<Html>) -> Self {
        self.push(more);
        self
    }

    /// Adds something at the end.
    pub(crate) fn push(&mut self, more: impl Into<Html>) {
        self.0.push_str(&more.into().0);
    }

    /// Whether there is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The markup.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// A picture as [`gsn_lab::chart`] and [`crate::draw`] make them, called `name` by those who
    /// cannot see it.
    pub(crate) fn picture(svg: &str, name: &str) -> Self {
        let svg = svg.trim_end().strip_prefix("<svg ").unwrap_or("/>");
        let said = svg.split('>').next().is_some_and(|head| head.contains("role=\"img\""));
        let role = if said { "" } else { "role=\"img\" " };
        let name = escape(&clipped(name, MOST_OF_ATTRIBUTE));
        Self(format!("<svg {role}aria-label=\"{name}\" {svg}"))
    }
}

impl From<&str> for Html {
    fn from(text: &str) -> Self {
        Self::text(clipped(text, MOST))
    }
}

impl From<String> for Html {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for Html {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl<T: Into<Html>> FromIterator<T> for Html {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        let mut html = Self::new();
        all.into_iter().for_each(|one| html.push(one));
        html
    }
}

/// An element under way.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    name: &'static str,
    attributes: String,
    inside: Html,
}

/// An element.
pub(crate) fn tag(name: &'static str) -> Tag {
    Tag { name, attributes: String::new(), inside: Html::new() }
}

impl Tag {
    /// With an attribute.
    #[must_use]
    pub(crate) fn attribute(mut self, name: &'static str, value: impl Display) -> Self {
        let value = value.to_string();
        let value = clipped(&value, MOST_OF_ATTRIBUTE);
        self.attributes += &format!(" {name}=\"{}\"", escape(&value));
        self
    }

    /// Of a class of the style sheet.
    #[must_use]
    pub(crate) fn class(self, class: &'static str) -> Self {
        self.attribute("class", class)
    }

    /// Of classes of the style sheet, if there are any.
    #[must_use]
    pub(crate) fn classes(self, classes: &'static str) -> Self {
        if classes.is_empty() { self } else { self.class(classes) }
    }

    /// With something in it, behind what is there.
    #[must_use]
    pub(crate) fn with(mut self, inside: impl Into<Html>) -> Self {
        self.inside.push(inside);
        self
    }
}

impl From<Tag> for Html {
    fn from(tag: Tag) -> Self {
        let Tag { name, attributes, inside } = tag;
        Self(format!("<{name}{attributes}>{}</{name}>\n", inside.0))
    }
}

/// A paragraph.
pub(crate) fn paragraph(text: impl Into<Html>) -> Html {
    tag("p").with(text).into()
}

/// A paragraph that stands back.
pub(crate) fn remark(text: impl Into<Html>) -> Html {
    tag("p").class("remark").with(text).into()
}

/// A paragraph that should not be missed.
pub(crate) fn warning(text: impl AsRef<str>) -> Html {
    tag("p").class("warning").with(prose(text)).into()
}

/// A sentence; what stands between backticks in it is typed or written in a file.
pub(crate) fn prose(text: impl AsRef<str>) -> Html {
    let text = clipped(text.as_ref(), MOST);
    let parts: Vec<&str> = text.split('`').collect();
    // A backtick without a partner is a part of a name.
    if parts.len().is_multiple_of(2) {
        return Html::text(text);
    }
    let shown = parts.into_iter().enumerate();
    shown.map(|(at, part)| if at % 2 == 1 { code(part) } else { Html::text(part) }).collect()
}

/// A text as it is typed or written in a file.
pub(crate) fn code(text: impl Into<Html>) -> Html {
    // No line break behind it: it stands in sentences.
    Html(Html::from(tag("code").with(text)).0.trim_end().to_owned())
}

/// Several lines as they stand in a file or are typed.
pub(crate) fn listing(text: &str) -> Html {
    tag("pre").with(code(Html::text(text))).into()
}

/// A list of sentences; nothing if there are none.
pub(crate) fn list<T: Into<Html>>(sentences: impl IntoIterator<Item = T>) -> Html {
    let items: Html = sentences.into_iter().map(|one| tag("li").with(one)).collect();
    if items.is_empty() { items } else { tag("ul").with(items).into() }
}

/// A picture with what it shows below it.
pub(crate) fn figure(svg: &str, caption: &str) -> Html {
    figure_with(svg, caption, Html::new())
}

/// A picture with a key and what it shows below it.
fn figure_with(svg: &str, caption: &str, key: Html) -> Html {
    let said = tag("figcaption").with(caption);
    tag("figure").with(Html::picture(svg, caption)).with(key).with(said).into()
}

/// Figures side by side as far as there is room.
pub(crate) fn figures(all: impl IntoIterator<Item = Html>) -> Html {
    let all: Html = all.into_iter().collect();
    if all.is_empty() { all } else { tag("div").class("figures").with(all).into() }
}

/// A picture and the table of its numbers, side by side where there is room.
pub(crate) fn beside(picture: Html, table: Html) -> Html {
    tag("div").class("beside").with(picture).with(table).into()
}

/// A plot in the size of the page, its lines named below it.
pub(crate) fn plot(plot: Plot) -> Html {
    let caption = plot.title.clone();
    let key = key(&plot.lines);
    // As narrow as a phone; square where both axes have the same range.
    let size = if plot.range.is_some() { [360.0, 340.0] } else { [360.0, 270.0] };
    let plot = Plot { title: String::new(), size, legend: false, ..plot };
    figure_with(&plots(&[plot], 1), &caption, key)
}

/// Names and colours of lines; nothing if none has a name.
pub(crate) fn key(lines: &[Line]) -> Html {
    let named = lines.iter().enumerate().filter(|(_, line)| !line.name.is_empty() && !line.faint);
    let entry = |(at, line): (usize, &Line)| {
        let dash = if line.dashed { " stroke-dasharray=\"5 4\"" } else { "" };
        let sample = format!(
            "<svg class=\"sample\" width=\"20\" height=\"8\" aria-hidden=\"true\"><path d=\"M0 4h20\" \
             stroke=\"{}\" stroke-width=\"2\"{dash}/></svg>",
            colour(line.colour.unwrap_or(at))
        );
        tag("span").with(Html(sample)).with(format!(" {}", line.name))
    };
    let entries: Html = named.map(entry).collect();
    if entries.is_empty() { entries } else { tag("div").class("key").with(entries).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped_in_elements_and_attributes() {
        let html: Html = tag("a").attribute("title", "\"><script>").with("<b>&").into();
        assert_eq!(html.as_str(), "<a title=\"&quot;&gt;&lt;script&gt;\">&lt;b&gt;&amp;</a>\n");
    }

    #[test]
    fn what_stands_between_backticks_is_code() {
        let html = prose("call `gsn <train>` again");
        assert_eq!(html.as_str(), "call <code>gsn &lt;train&gt;</code> again");
        assert_eq!(prose("a ` of its own").as_str(), "a ` of its own");
    }

    #[test]
    fn a_picture_that_is_none_is_empty() {
        let none = Html::picture("<script>alert(1)</script>", "x");
        assert_eq!(none.as_str(), "<svg role=\"img\" aria-label=\"x\" />");
    }
}
