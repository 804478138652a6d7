//! Help, completions and manual pages.

use super::{expect, folder, names, text};
use std::process::Command;

/// The verbs, as the help lists them.
fn verbs() -> Vec<String> {
    let folder = folder(&[]);
    let ran = expect(0, folder.path(), "help");
    let listed = ran.out.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    // Continued lines of a description stand further in.
    let verb =
        |line: &str| line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')).map(first);
    listed.filter_map(verb).filter(|verb| verb != "help").collect()
}

fn first(line: &str) -> String {
    line.split_whitespace().next().unwrap_or_default().to_owned()
}

#[test]
fn every_verb_has_help_with_examples() {
    let folder = folder(&[]);
    let verbs = verbs();
    assert!(verbs.len() > 12, "{verbs:?}");
    for verb in &verbs {
        let ran = expect(0, folder.path(), &format!("help {verb}"));
        assert!(ran.out.contains(&format!("\n  gsn {verb}")), "{verb}: {}", ran.out);
        assert!(ran.out.contains("Exit codes:"), "{verb}: {}", ran.out);
        assert_eq!(ran.out, expect(0, folder.path(), &format!("{verb} --help")).out);
    }
    let ran = expect(2, folder.path(), "help nothing");
    assert!(ran.err.contains("nothing"), "{}", ran.err);
}

#[test]
fn every_shell_gets_a_script() {
    let folder = folder(&[]);
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let ran = expect(0, folder.path(), &format!("completions {shell}"));
        assert!(ran.out.contains("checkpoint-seconds") && ran.out.contains("separate"), "{shell}");
    }
    expect(2, folder.path(), "completions tcsh");
}

/// A real bash completes by our script.
#[cfg(unix)]
#[test]
fn bash_completes_verbs_and_options() {
    let folder = folder(&[]);
    let script = expect(0, folder.path(), "completions bash").out;
    let complete = |words: &str| -> Vec<String> {
        let ask = format!(
            "{script}\nCOMP_WORDS=({words}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); \
             _gsn gsn \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD-1]}}\"; \
             printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = Command::new("bash").args(["--norc", "-c", &ask]).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        said.lines().map(str::to_owned).collect()
    };
    assert_eq!(complete("gsn sep"), ["separate"]);
    assert_eq!(complete("gsn train --pat"), ["--patterns"]);
    assert_eq!(complete("gsn count --scope a"), ["arc"]);
}

#[test]
fn manual_pages_are_written_for_every_verb() {
    let folder = folder(&[]);
    let here = folder.path();
    expect(0, here, "man --out pages");
    let pages = names(&here.join("pages"));
    let expected: Vec<String> = verbs().iter().map(|verb| format!("gsn-{verb}.1")).collect();
    assert!(expected.iter().all(|page| pages.contains(page)), "{pages:?}");
    assert_eq!(pages.len(), expected.len() + 1);
    let page = text(here.join("pages/gsn-train.1"));
    assert!(page.contains(".TH gsn-train 1") && page.contains("save\\-recipe"), "{page}");
    assert_eq!(expect(0, here, "man train").out, page);
    assert_eq!(expect(0, here, "man").out, text(here.join("pages/gsn.1")));
    let ran = expect(2, here, "man nothing");
    assert!(ran.err.contains("there is no verb `nothing`"), "{}", ran.err);
}

#[test]
fn the_reference_in_the_book_is_what_the_program_says() {
    let folder = folder(&[]);
    let page = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/cli.md");
    let printed = expect(0, folder.path(), "man --markdown").out;
    assert!(text(page) == printed, "docs/src/cli.md is behind; `cargo xtask pages` writes it anew");
}
