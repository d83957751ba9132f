//! Reads `ARCHIVE_URL`.
//!
//! Decides what kind of archive a text names. A text may hold a password, so no message repeats
//! more of it than the scheme.

use std::fmt;
use std::path::PathBuf;

use reqwest::Url;
use thiserror::Error;

use super::{Archive, ArchiveError, DirectoryArchive, HttpArchive};
use crate::http_client::{has_userinfo, parse_base_url};

/// Where the archive is.
#[derive(Clone, PartialEq, Eq)]
pub enum ArchiveUrl {
    /// There is none.
    None,
    /// A directory.
    Directory(PathBuf),
    /// An archive service; a name and password in the URL are sent as basic authentication.
    Http(Url),
}

/// A text that names no archive.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum InvalidArchiveUrl {
    /// Nothing is given.
    #[error("it is empty (use none to switch the archive off)")]
    Empty,
    /// S3 is planned.
    #[error("s3:// is not supported yet: use a directory, an http(s):// archive service, or none")]
    S3,
    /// No archive of this kind is known.
    #[error("{0}:// is not supported: use a directory, an http(s):// archive service, or none")]
    Scheme(String),
    /// A `file:` URL of another machine, or of no path.
    #[error("the file: URL names no path on this machine")]
    File,
    /// A malformed URL.
    #[error("{0}")]
    Http(String),
}

impl ArchiveUrl {
    /// Reads `none`, a path, `file:…`, `http(s)://…` or `s3://…`.
    ///
    /// # Errors
    /// See [`InvalidArchiveUrl`].
    pub fn parse(text: &str) -> Result<Self, InvalidArchiveUrl> {
        let text = text.trim();
        if text.is_empty() {
            return Err(InvalidArchiveUrl::Empty);
        }
        if text.eq_ignore_ascii_case("none") {
            return Ok(Self::None);
        }
        if let Some(rest) = text.strip_prefix("file:") {
            return file_url(text, rest);
        }
        match text.split_once("://") {
            Some(("http" | "https", _)) => {
                parse_base_url(text).map(Self::Http).map_err(InvalidArchiveUrl::Http)
            }
            Some(("s3", _)) => Err(InvalidArchiveUrl::S3),
            Some((scheme, _)) if is_scheme(scheme) => {
                Err(InvalidArchiveUrl::Scheme(scheme.to_owned()))
            }
            _ => Ok(Self::Directory(PathBuf::from(text))),
        }
    }

    /// Opens the archive, if there is one. Nothing is created before the first bundle.
    ///
    /// # Errors
    /// The HTTP client cannot be set up.
    pub fn open(&self) -> Result<Option<Archive>, ArchiveError> {
        Ok(match self {
            Self::None => None,
            Self::Directory(root) => Some(Archive::Directory(DirectoryArchive::new(root))),
            Self::Http(url) => Some(Archive::Http(HttpArchive::new(url.clone())?)),
        })
    }
}

impl fmt::Display for ArchiveUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Directory(root) => root.display().fmt(f),
            Self::Http(url) => f.write_str(&without_userinfo(url)),
        }
    }
}

impl fmt::Debug for ArchiveUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ArchiveUrl({self})")
    }
}

/// The URL as it may be shown.
pub(super) fn without_userinfo(url: &Url) -> String {
    let mut shown = url.clone();
    if has_userinfo(url) {
        // Refused only for URLs that cannot have a user in the first place.
        let _ = shown.set_username("");
        let _ = shown.set_password(None);
    }
    shown.into()
}

fn file_url(text: &str, rest: &str) -> Result<ArchiveUrl, InvalidArchiveUrl> {
    let path = if rest.starts_with('/') {
        let url = Url::parse(text).map_err(|_| InvalidArchiveUrl::File)?;
        url.to_file_path().map_err(|()| InvalidArchiveUrl::File)?
    } else {
        PathBuf::from(rest)
    };
    let is_named = !path.as_os_str().is_empty();
    is_named.then_some(ArchiveUrl::Directory(path)).ok_or(InvalidArchiveUrl::File)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_names_its_archive() {
        let directory = |path: &str| Ok(ArchiveUrl::Directory(path.into()));
        for (text, expected) in [
            ("none", Ok(ArchiveUrl::None)),
            (" NONE ", Ok(ArchiveUrl::None)),
            ("./data/archive", directory("./data/archive")),
            ("/var/lib/x y", directory("/var/lib/x y")),
            ("./odd://name", directory("./odd://name")),
            ("file:///var/lib/x%20y", directory("/var/lib/x y")),
            ("file:/var/lib", directory("/var/lib")),
            ("file:data/archive", directory("data/archive")),
            ("file:", Err(InvalidArchiveUrl::File)),
            ("file://elsewhere/path", Err(InvalidArchiveUrl::File)),
            ("", Err(InvalidArchiveUrl::Empty)),
            ("s3://key:secret@bucket/prefix", Err(InvalidArchiveUrl::S3)),
            ("gs://bucket", Err(InvalidArchiveUrl::Scheme("gs".to_owned()))),
        ] {
            assert_eq!(ArchiveUrl::parse(text), expected, "{text}");
        }
        assert!(ArchiveUrl::parse("http://").is_err());
        assert!(InvalidArchiveUrl::S3.to_string().contains("not supported yet"));
    }

    #[test]
    fn a_password_is_not_shown() {
        let url = ArchiveUrl::parse("https://user:hidden@host/below").unwrap();
        assert_eq!(url.to_string(), "https://host/below");
        assert_eq!(format!("{url:?}"), "ArchiveUrl(https://host/below)");
        let error = ArchiveUrl::parse("https://user:hidden@host:99999").unwrap_err();
        assert!(!error.to_string().contains("hidden"), "{error}");
    }
}
