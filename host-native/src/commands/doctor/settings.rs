//! Configuration, secrets and their files, and who can reach the daemon.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use dicechess_core::pacing::token;
use secrecy::ExposeSecret;

use super::finding::Findings;
use crate::clock::now;
use crate::config::{Config, CrawlSettings, WebConfig, is_loopback, secret_files};
use crate::exit_code::Exit;
use crate::progress::duration_text;

/// Warn this long before the token ends.
const WARN_BEFORE_SECONDS: f64 = 3.0 * 86_400.0;
/// A shorter word can be guessed.
const SHORTEST_ADMIN_TOKEN: usize = 16;

/// Looks at the settings; gives the configuration if it can be used.
pub(super) fn look(given: &CrawlSettings, findings: &mut Findings) -> Option<Config> {
    look_at_secret_files(given, findings);
    let config = match Config::resolve(given) {
        Ok(config) => config,
        Err(error) => {
            let advice = "correct it; `dicechess-sync crawl --help` explains each setting";
            findings.problem("configuration", Exit::Configuration, error.to_string(), advice);
            return None;
        }
    };
    findings.ok("configuration", format!("usable; database {}", config.db_path.display()));
    look_at_token(&config, findings);
    look_at_contact(&config, findings);
    if let Ok(web) = WebConfig::resolve(given) {
        look_at_reach(&web, findings);
    }
    Some(config)
}

fn look_at_secret_files(given: &CrawlSettings, findings: &mut Findings) {
    // A TOML file that cannot be used is told with the configuration.
    let Ok(files) = secret_files(given) else { return };
    for (setting, path) in files {
        look_at_secret_file(setting, &path, findings);
    }
}

fn look_at_secret_file(setting: &'static str, path: &Path, findings: &mut Findings) {
    let shown = path.display();
    let mode = match std::fs::File::open(path).and_then(|file| file.metadata()) {
        Ok(file) => file.permissions().mode(),
        Err(error) => {
            findings.problem(
                "secret files",
                Exit::Configuration,
                format!("{setting}: {shown} cannot be read: {error}"),
                "name a file that this user can read",
            );
            return;
        }
    };
    // Readable by others, or writable by anybody but its owner.
    if mode & 0o026 == 0 {
        findings.ok("secret files", format!("{setting}: {shown} is for its owner"));
    } else {
        findings.warning(
            "secret files",
            format!("{setting}: {shown} is open to others (mode {:o})", mode & 0o777),
            format!("chmod 600 {shown}"),
        );
    }
}

fn look_at_token(config: &Config, findings: &mut Findings) {
    let credentials = &config.site.credentials;
    let renew = "sign in on dicechess.com, copy the new token and set DICECHESS_JWT (README: \
                 \"Where to find your token\")";
    if credentials.with_token(|_| Some(())).is_none() {
        if is_loopback(&config.site.base_url) {
            findings.ok("token", "none, and the site is on this machine");
        } else {
            let message = "DICECHESS_JWT is not set: the site answers nobody without a token";
            findings.problem("token", Exit::Configuration, message, renew);
        }
        return;
    }
    if credentials.with_token(|text| (!token::is_jwt(text)).then_some(())).is_some() {
        let message = "it is set and no JWT, as the site's tokens are: cut off, or something else";
        findings.warning("token", message, renew);
        return;
    }
    let Some(expiry) = credentials.with_token(token::expiry) else {
        findings.ok("token", "set; it does not tell when it ends");
        return;
    };
    let left = now().until(expiry).as_secs_f64();
    if expiry <= now() {
        findings.problem("token", Exit::SiteRefused, format!("it ended at {expiry}"), renew);
    } else if left < WARN_BEFORE_SECONDS {
        let message = format!("it ends in {}, at {expiry}", duration_text(left));
        findings.warning("token", message, renew);
    } else {
        findings.ok("token", format!("good for {}, until {expiry}", duration_text(left)));
    }
}

fn look_at_contact(config: &Config, findings: &mut Findings) {
    if config.site.names_contact || is_loopback(&config.site.base_url) {
        findings.ok("user agent", config.site.user_agent.clone());
    } else {
        findings.warning(
            "user agent",
            "USER_AGENT names no contact",
            "set it, for example to 'dicechess-sync (you@example.org)', so that the site's owners \
             can reach you",
        );
    }
}

fn look_at_reach(web: &WebConfig, findings: &mut Findings) {
    let listen = web.listen;
    let admin = web.admin_token.as_ref().map(|token| token.expose_secret().len());
    if admin.is_some_and(|length| length < SHORTEST_ADMIN_TOKEN) {
        findings.warning(
            "listen",
            format!("ADMIN_TOKEN is shorter than {SHORTEST_ADMIN_TOKEN} characters"),
            "take a random one: openssl rand -hex 24",
        );
    }
    if listen.ip().is_loopback() {
        findings.ok("listen", format!("{listen}: this machine only"));
    } else if admin.is_none() {
        findings.warning(
            "listen",
            format!(
                "{listen} can be reached from other machines: they read all pages and metrics (but \
                 change nothing, as there is no ADMIN_TOKEN)"
            ),
            "listen on 127.0.0.1 and use an ssh tunnel, or let a firewall choose who gets in",
        );
    } else {
        findings.warning(
            "listen",
            format!("{listen} can be reached from other machines, and ADMIN_TOKEN travels openly"),
            "put a proxy with TLS in front of it, or listen on 127.0.0.1 and use an ssh tunnel",
        );
    }
}
