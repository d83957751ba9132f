//! The configuration curl reads from its standard input, in the syntax of its `--config` files.
//!
//! Decides all options and their quoting. Only options that curl 7.68 knows are used.

use std::fmt::Write;

use secrecy::{ExposeSecret, SecretString};

use super::super::{SiteAccess, SiteRequest};

/// Options without anything of the request in them.
///
/// The headers go to standard error: mixed into the body they could not be told from it when a
/// server sends trailers. `Expect:` keeps curl from asking whether it may send a body.
const FIXED: &str = r#"silent
show-error
globoff
compressed
noproxy = "*"
proto = "=http,https"
dump-header = "/dev/stderr"
header = "Expect:"
"#;

/// Writes the configuration of one request.
pub(super) fn render(access: &SiteAccess, request: &SiteRequest) -> SecretString {
    let mut config = FIXED.to_owned();
    option(&mut config, "url", access.url(request).as_str());
    option(&mut config, "max-time", &format!("{:.3}", access.timeout().as_secs_f64()));
    for header in access.headers(request) {
        option(
            &mut config,
            "header",
            &format!("{}: {}", header.name, header.value.expose_secret()),
        );
    }
    if let Some(body) = &request.body {
        option(&mut config, "data-raw", body);
    }
    config.into()
}

fn option(config: &mut String, name: &str, value: &str) {
    writeln!(config, "{name} = {}", quoted(value)).expect("a String takes everything");
}

/// Between quotes curl knows the escapes `\\`, `\"`, `\t`, `\n`, `\r` and `\v`.
fn quoted(value: &str) -> String {
    let mut text = String::with_capacity(value.len() + 2);
    text.push('"');
    for c in value.chars() {
        match c {
            '\\' => text.push_str("\\\\"),
            '"' => text.push_str("\\\""),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\u{b}' => text.push_str("\\v"),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use dicechess_core::site::Endpoint;

    use super::super::super::SiteCredentials;
    use super::*;

    #[test]
    fn values_are_quoted() {
        assert_eq!(quoted(r#"a"b\c"#), r#""a\"b\\c""#);
        assert_eq!(quoted("1\t2\n3\r4\u{b}5é"), r#""1\t2\n3\r4\v5é""#);
    }

    #[test]
    fn no_value_can_add_an_option() {
        let request = SiteRequest {
            endpoint: Endpoint::History,
            query: None,
            body: Some("{\n\"output\"}\nurl = \"x\"".to_owned()),
            validators: vec![("If-None-Match", "\"v1\"\nproxy = x".to_owned())],
        };
        let access = SiteAccess::new(
            "http://host/below/",
            SiteCredentials::new(Some("t".into()), None).unwrap(),
            "agent \"x\"",
            Duration::from_millis(1500),
        )
        .unwrap();
        let config = render(&access, &request);
        let own = config.expose_secret().strip_prefix(FIXED).unwrap();
        assert_eq!(
            own.lines().collect::<Vec<_>>(),
            [
                r#"url = "http://host/below/api/player/history""#,
                r#"max-time = "1.500""#,
                r#"header = "Accept: application/json""#,
                r#"header = "User-Agent: agent \"x\"""#,
                r#"header = "Authorization: Bearer t""#,
                r#"header = "Content-Type: application/json""#,
                r#"data-raw = "{\n\"output\"}\nurl = \"x\"""#,
            ]
        );
    }
}
