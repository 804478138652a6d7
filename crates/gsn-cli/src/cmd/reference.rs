//! The reference of the command line as Markdown, for the book: every verb with its options, their
//! defaults, the values they take, and examples. Made from what `--help` says, so that it is never
//! behind the program.

use clap::{Arg, Command};
use std::fmt::Write;

const HEAD: &str = "\
# The command line

For everybody who types commands: every verb, every option, every default. `gsn help VERB` prints the same.

<!-- Written by `cargo xtask pages` from `gsn man --markdown`; do not edit. -->
";

/// The page for a program whose command was built.
pub(super) fn page(program: &Command) -> String {
    let mut page = HEAD.to_owned();
    page += "\n| verb | does |\n|---|---|\n";
    for verb in verbs(program) {
        let title = format!("{} {}", program.get_name(), verb.get_name());
        let about = cell(&about(verb));
        let _ = writeln!(page, "| [`{title}`](#{}) | {about} |", title.replace(' ', "-"));
    }
    page += "\n## Options of every verb\n\n";
    for option in program.get_arguments().filter(|argument| argument.is_global_set()) {
        page += &item(option);
    }
    for verb in verbs(program) {
        section(&mut page, program, verb, "##");
    }
    page
}

fn verbs(command: &Command) -> impl Iterator<Item = &Command> {
    command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set())
}

/// A verb, and the verbs below it.
fn section(page: &mut String, parent: &Command, verb: &Command, level: &str) {
    let title = verb.get_bin_name().unwrap_or_else(|| verb.get_name());
    let _ = writeln!(page, "\n{level} {title}\n\n{}.", escaped(&about(verb)));
    let usage = verb.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let usage: Vec<&str> = usage.lines().map(str::trim).collect();
    let _ = writeln!(page, "\n```text\n{}\n```", usage.join("\n"));
    // What the parent hands down stands there.
    let inherited = |argument: &Arg| {
        let id = argument.get_id();
        argument.is_global_set() && parent.get_arguments().any(|above| above.get_id() == id)
    };
    let named = |argument: &&Arg| !matches!(argument.get_id().as_str(), "help" | "version");
    let own: Vec<&Arg> =
        verb.get_arguments().filter(named).filter(|a| !inherited(a) && !a.is_hide_set()).collect();
    let (places, options): (Vec<&Arg>, Vec<&Arg>) = own.iter().partition(|a| a.is_positional());
    for list in [places, options] {
        if !list.is_empty() {
            page.push('\n');
            list.iter().for_each(|argument| *page += &item(argument));
        }
    }
    if let Some(text) = verb.get_after_help() {
        after(page, &text.to_string());
    }
    for below in verbs(verb) {
        section(page, verb, below, &format!("{level}#"));
    }
}

/// An argument or option: how it is written, what it does, its default and its values.
fn item(argument: &Arg) -> String {
    let mut item = format!("- `{}`: {}", written(argument), escaped(&help(argument)));
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|v| format!("`{}`", v.display())).collect();
    let takes_values = argument.get_action().takes_values();
    if takes_values && !defaults.is_empty() {
        let _ = write!(item, " [default: {}]", defaults.join(" "));
    }
    item.push('\n');
    for value in argument.get_possible_values().iter().filter(|v| takes_values && !v.is_hide_set())
    {
        let meaning = value.get_help().map(|help| format!(": {}", escaped(&help.to_string())));
        let _ = writeln!(item, "  - `{}`{}", value.get_name(), meaning.unwrap_or_default());
    }
    item
}

/// `-o, --output <OUT>`, or `<INPUT>...`.
fn written(argument: &Arg) -> String {
    let names: Vec<String> = match argument.get_value_names() {
        Some(names) if argument.get_action().takes_values() => {
            names.iter().map(|name| format!("<{name}>")).collect()
        }
        _ => vec![],
    };
    let several = argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    let values = format!("{}{}", names.join(" "), if several { "..." } else { "" });
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().map(|word| format!("--{word}"));
    let words: Vec<String> = short.into_iter().chain(long).collect();
    match (words.is_empty(), values.is_empty()) {
        (true, _) => values,
        (false, true) => words.join(", "),
        (false, false) => format!("{} {values}", words.join(", ")),
    }
}

/// What stands below the options of `--help`: examples as a block, the rest as text.
fn after(page: &mut String, text: &str) {
    for paragraph in text.split("\n\n") {
        match paragraph.strip_prefix("Examples:\n") {
            Some(examples) => {
                let lines: Vec<&str> = examples.lines().map(str::trim).collect();
                let _ = writeln!(page, "\n```sh\n{}\n```", lines.join("\n"));
            }
            None => {
                let _ = writeln!(page, "\n{}", escaped(paragraph));
            }
        }
    }
}

fn about(command: &Command) -> String {
    let text = command.get_about().map(ToString::to_string).unwrap_or_default();
    text.trim_end_matches('.').to_owned()
}

fn help(argument: &Arg) -> String {
    let text = argument.get_long_help().or(argument.get_help());
    text.map(|text| text.to_string().replace('\n', " ")).unwrap_or_default()
}

/// Signs that Markdown would read, except between backticks.
fn escaped(text: &str) -> String {
    let part = |(at, part): (usize, &str)| match at % 2 {
        0 => part.replace('*', "\\*").replace('<', "&lt;").replace('_', "\\_"),
        _ => part.to_owned(),
    };
    text.split('`').enumerate().map(part).collect::<Vec<_>>().join("`")
}

fn cell(text: &str) -> String {
    escaped(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::Cli;
    use clap::CommandFactory;

    #[test]
    fn every_verb_and_every_option_is_on_the_page() {
        let mut program = Cli::command();
        program.build();
        let page = page(&program);
        for verb in verbs(&program) {
            assert!(page.contains(&format!("\n## gsn {}\n", verb.get_name())), "{page}");
            for option in verb.get_arguments().filter_map(Arg::get_long) {
                assert!(page.contains(&format!("--{option}")), "{option}");
            }
        }
        assert!(page.contains("\n### gsn data list\n"), "{page}");
        assert!(page.contains("  - `induced`: Graphlets"), "{page}");
    }

    #[test]
    fn signs_of_markdown_are_escaped_outside_of_code() {
        assert_eq!(escaped("*.csv and `a*b` <x>"), "\\*.csv and `a*b` &lt;x>");
        assert_eq!(cell("a|b"), "a\\|b");
    }
}
