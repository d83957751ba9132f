//! Who told of a game: the site itself or a browser.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ToSql, ToSqlOutput, ValueRef};
use serde::Serialize;

/// Where an entry or moves came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The site answered us.
    Site,
    /// A paired browser says that the site answered it.
    Browser,
}

impl ToSql for Origin {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(match self {
            Self::Site => "site",
            Self::Browser => "browser",
        }))
    }
}

impl FromSql for Origin {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "site" => Ok(Self::Site),
            "browser" => Ok(Self::Browser),
            other => Err(FromSqlError::Other(format!("{other:?} is no origin").into())),
        }
    }
}
