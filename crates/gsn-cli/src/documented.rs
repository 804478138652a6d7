//! Every command that the documentation names is one that the program understands.
//!
//! Sessions are run by `tests/cli/sessions.rs`, `sh` blocks and the examples of `--help` by
//! `tests/cli/examples.rs`, with smaller numbers and without downloads. Here all of them are parsed as they
//! are printed, and commands inside of sentences too, so that none names a verb or an option that does not
//! exist.

use crate::args::Cli;
use clap::error::ErrorKind::{
    DisplayHelpOnMissingArgumentOrSubcommand as LackingAll, MissingRequiredArgument as Lacking,
};
use clap::{CommandFactory, Parser};
use std::path::{Path, PathBuf};

/// Stands for something that the reader puts there, so that there is nothing to parse.
const HOLES: [&str; 3] = ["…", "...", "VERB"];

/// The words of a command as a shell would see them, up to a pipe, a redirection or a comment.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for letter in command.chars() {
        match (letter, quote) {
            (_, Some(open)) if letter == open => quote = None,
            (_, Some(_)) => word.get_or_insert_default().push(letter),
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            ('|' | '>' | '<' | '#' | ';', None) if word.is_none() => return words,
            (' ', None) => words.extend(word.take()),
            (_, None) => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// The commands in backticks and in `sh` blocks of a page.
fn commands(page: &str) -> Vec<String> {
    let mut commands = Vec::new();
    let mut block = None;
    for line in page.lines() {
        match (line.trim_start().strip_prefix("```"), block) {
            (Some(language), None) => block = Some(language),
            (Some(_), Some(_)) => block = None,
            (None, Some(language)) => {
                // An assignment may stand in front.
                let command = line.find("gsn ").map(|at| &line[at..]).unwrap_or_default();
                let starts = line.starts_with("gsn ") || line.starts_with("GSN_DATA=");
                if language == "sh" && starts {
                    commands.push(command.to_owned());
                }
            }
            (None, None) => {
                let code = line.split('`').skip(1).step_by(2);
                commands.extend(code.filter(|code| code.starts_with("gsn ")).map(str::to_owned));
            }
        }
    }
    commands
}

fn parse(command: &str, place: &str) -> usize {
    if HOLES.iter().any(|hole| command.contains(hole)) {
        return 0;
    }
    // A letter such as K stands for a number.
    let number = |word: String| match word.len() == 1 && word.chars().all(char::is_uppercase) {
        true => "3".to_owned(),
        false => word,
    };
    match Cli::try_parse_from(words(command).into_iter().map(number)) {
        Ok(_) => 1,
        // A verb or an option with less than it needs is a name and not a command.
        Err(error) if matches!(error.kind(), Lacking | LackingAll) => 0,
        Err(error) if error.to_string().contains("but none was supplied") => 0,
        Err(error) if !error.use_stderr() => 1,
        Err(error) => panic!("{place}: {command}\n{error}"),
    }
}

fn pages() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = Vec::new();
    for folder in ["", "docs/src", "crates/gsn-py"] {
        let entries = std::fs::read_dir(root.join(folder)).unwrap();
        pages.extend(entries.map(|entry| entry.unwrap().path()));
    }
    // What was said of earlier versions stays as it was.
    pages.retain(|page| {
        page.extension().is_some_and(|e| e == "md") && !page.ends_with("CHANGELOG.md")
    });
    pages.sort();
    pages
}

#[test]
fn every_command_in_the_documentation_is_understood() {
    let mut parsed = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).unwrap();
        for command in commands(&text) {
            parsed += parse(&command, &page.display().to_string());
        }
    }
    assert!(parsed > 80, "{parsed}");
}

#[test]
fn every_example_of_the_help_is_understood() {
    let mut program = Cli::command();
    program.build();
    let mut parsed = 0;
    for verb in program.get_subcommands() {
        let help = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
        for example in help.lines().filter_map(|line| line.strip_prefix("  gsn ")) {
            let all = format!("gsn {example}");
            assert_eq!(parse(&all, verb.get_name()), 1, "{all} leaves something out");
            parsed += 1;
        }
    }
    assert!(parsed > 50, "{parsed}");
}

#[test]
fn words_are_those_of_a_shell() {
    assert_eq!(words("gsn a 'b c'  d\"e f\" | head"), ["gsn", "a", "b c", "de f"]);
    assert_eq!(words("gsn a -o x > y"), ["gsn", "a", "-o", "x"]);
    assert_eq!(words("gsn a # why"), ["gsn", "a"]);
    assert_eq!(words("gsn 'edges:0>1' b>c ''"), ["gsn", "edges:0>1", "b>c", ""]);
    assert!(commands("`gsn a` and `b`\n```sh\ngsn c\nd\n```\n```toml\ngsn e\n```").len() == 2);
}
