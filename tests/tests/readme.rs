//! The README in two languages, in step with each other and with the program.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;

use dicechess_tests::Workspace;
use dicechess_tests::tools::repository;

fn read(name: &str) -> String {
    fs::read_to_string(repository().join(name)).unwrap()
}

/// The levels of all headings, code blocks left out.
fn heading_levels(page: &str) -> Vec<usize> {
    let mut is_code = false;
    let mut levels = Vec::new();
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && line.starts_with('#') {
            levels.push(line.chars().take_while(|c| *c == '#').count());
        }
    }
    levels
}

/// What is typed in the code blocks: comments and quoted examples may be translated.
fn commands(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    blocks
        .flat_map(str::lines)
        .map(|line| line.split(" #").next().unwrap().trim().to_owned())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect()
}

/// The first cells of all tables, but for the heads.
fn first_cells(page: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut is_table = false;
    for line in page.lines() {
        if let Some(row) = line.strip_prefix("| ") {
            // A vertical bar inside a cell is written with a backslash.
            let cell = row.split(" |").next().unwrap();
            if is_table {
                cells.push(cell.to_owned());
            }
            is_table = true;
        } else if !line.starts_with("|---") {
            is_table = false;
        }
    }
    cells
}

/// The targets of links to files of this repository.
fn links(page: &str) -> Vec<String> {
    page.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .filter(|target| !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn both_languages_say_the_same() {
    let (english, russian) = (read("README.md"), read("README.ru.md"));
    assert_eq!(heading_levels(&english), heading_levels(&russian));
    assert_eq!(commands(&english), commands(&russian));
    assert_eq!(first_cells(&english), first_cells(&russian));
    let other = |target: &String| target.as_str() != "README.ru.md" && target != "README.md";
    let of = |page: &str| links(page).into_iter().filter(other).collect::<Vec<_>>();
    assert_eq!(of(&english), of(&russian));
    assert!(heading_levels(&english).len() > 5 && first_cells(&english).len() > 20);
}

#[test]
fn each_link_leads_somewhere() {
    for name in
        ["README.md", "README.ru.md", "docs/operations.md", "docs/metrics.md", "docs/gateway.md"]
    {
        let folder = repository().join(name).parent().unwrap().to_owned();
        for target in links(&read(name)) {
            let file = target.split('#').next().unwrap();
            assert!(file.is_empty() || folder.join(file).exists(), "{name}: {target}");
        }
    }
}

#[test]
fn each_command_has_its_row() {
    let help = Workspace::new().command(["--help"]).run().expect(0).stdout;
    let list = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands: Vec<&str> = list
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() > 15, "{commands:?}");
    let page = read("README.md");
    let cells = first_cells(&page);
    for command in commands {
        let is_there = cells.iter().any(|cell| {
            cell.split('`').skip(1).step_by(2).any(|code| code.split(' ').next() == Some(command))
        });
        assert!(is_there, "README.md has no row for {command}");
    }
}
