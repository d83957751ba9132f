//! `docs/export.md` names every column of every table, in order, with its type.

use dicechess_analytics::export::{ExportTable, Kind};

#[test]
fn the_schema_page_has_every_column() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/export.md");
    let page = std::fs::read_to_string(page).unwrap();
    for table in ExportTable::ALL {
        let heading = format!("## `{}`", table.name());
        let section = page.split(&heading).nth(1).expect(&heading);
        let section = section.split("\n## ").next().unwrap();
        let rows = section.lines().filter(|line| line.starts_with("| `"));
        let documented: Vec<_> = rows.map(|row| row.split('|').map(str::trim).collect()).collect();
        let documented: Vec<(&str, &str)> =
            documented.iter().map(|cells: &Vec<&str>| (cells[1], cells[2])).collect();
        let columns: Vec<_> = table
            .columns()
            .iter()
            .map(|column| (format!("`{}`", column.name), type_name(column.kind)))
            .collect();
        let columns: Vec<_> = columns.iter().map(|(name, kind)| (name.as_str(), *kind)).collect();
        assert_eq!(documented, columns, "{}", table.name());
    }
}

fn type_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Text => "text",
        Kind::Integer => "integer",
        Kind::Real => "real",
        Kind::Flag => "flag",
        Kind::Timestamp => "timestamp",
        Kind::Texts => "list of text",
        Kind::Json => "json",
    }
}
