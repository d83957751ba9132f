//! `status`: what the database holds, and the summary at the end of a pass.

use std::collections::BTreeMap;
use std::io::Write;

use dicechess_core::pacing::token;
use dicechess_core::time::UnixMillis;

use super::CommandError;
use crate::clock::now;
use crate::config::{Config, CrawlSettings, resolve_status};
use crate::crawl::PassReport;
use crate::exit_code::Exit;
use crate::printable::{counted, printable, reason_text};
use crate::progress::duration_text;
use crate::site::SiteCredentials;
use crate::store::{StatusReport, Store, machine_name};

/// Warn this long before the token ends.
const WARN_BEFORE_SECONDS: f64 = 3.0 * 86_400.0;

/// Prints the numbers of the whole.
///
/// # Errors
/// The configuration is wrong, or the database failed.
pub fn run(json: bool, settings: &CrawlSettings) -> Result<Exit, CommandError> {
    let (db_path, credentials) = resolve_status(settings)?;
    let store = Store::open_existing(&db_path)?;
    let report = store.status(now())?;
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string(&report).map_err(std::io::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        writeln!(out, "Database {}", db_path.display())?;
        print_report(&mut out, &report)?;
        print_token(&mut out, &credentials, now())?;
    }
    Ok(Exit::Done)
}

/// Prints what a pass did and what is left; `asked_before` are the requests made before it.
///
/// # Errors
/// The database failed or the output cannot be written.
pub fn print_summary(
    store: &Store,
    report: &PassReport,
    config: &Config,
    asked_before: &BTreeMap<String, u64>,
) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    let status = store.status(now())?;
    print_pass(&mut out, report)?;
    print_asked(&mut out, report, asked_before, &status.site_requests)?;
    writeln!(out)?;
    print_report(&mut out, &status)?;
    print_token(&mut out, &config.site.credentials, now())?;
    for stop in &report.stops {
        writeln!(out, "\n{stop}")?;
    }
    Ok(())
}

/// What a pass did.
pub(super) fn print_pass(out: &mut impl Write, report: &PassReport) -> std::io::Result<()> {
    writeln!(
        out,
        "This pass: {} swept, {}, {}; {} fetched; {} posted ({} new, {} known there); {} archived",
        counted(report.players_swept, "player", "players"),
        counted(report.pages, "page", "pages"),
        counted(report.new_games, "new game", "new games"),
        report.fetched,
        report.posted_created + report.posted_exists,
        report.posted_created,
        report.posted_exists,
        report.archived
    )?;
    let troubles = [
        (report.players_failed, "player failed", "players failed"),
        (report.fetch_failed, "fetch failed", "fetches failed"),
        (report.post_failed, "post failed", "posts failed"),
        (report.rejected, "game rejected", "games rejected"),
        (report.normalize_failed, "game parked", "games parked"),
        (report.broken_entries, "broken history entry kept", "broken history entries kept"),
        (report.stepped_back, "step back over vanished rows", "steps back over vanished rows"),
    ];
    let troubles: Vec<String> = troubles
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, many)| counted(*count, one, many))
        .collect();
    if !troubles.is_empty() {
        writeln!(out, "           {}", troubles.join(", "))?;
    }
    Ok(())
}

/// What the pass asked of the site, and why the pages are more than the rows alone would need.
fn print_asked(
    out: &mut impl Write,
    report: &PassReport,
    before: &BTreeMap<String, u64>,
    after: &BTreeMap<String, u64>,
) -> std::io::Result<()> {
    let asked = |name: &str| {
        let count = |totals: &BTreeMap<String, u64>| totals.get(name).copied().unwrap_or(0);
        count(after).saturating_sub(count(before))
    };
    let (pages, games, boards) = (asked("history"), asked("move_history"), asked("leaderboard"));
    writeln!(
        out,
        "Site asked: {}: {}, {}, {}",
        counted(pages + games + boards, "time", "times"),
        counted(pages, "page", "pages"),
        counted(games, "game", "games"),
        counted(boards, "leaderboard", "leaderboards")
    )?;
    if report.overlapping_pages > 0 {
        writeln!(
            out,
            "           {} began one row before the rows not seen yet (overlap), so that no game \
             is missed when the list shifts",
            counted(report.overlapping_pages, "page", "pages")
        )?;
    }
    Ok(())
}

/// The numbers of the whole database.
pub(super) fn print_report(out: &mut impl Write, report: &StatusReport) -> std::io::Result<()> {
    let nonzero = |(name, count): (&str, u64)| (count > 0).then(|| format!("{count} {name}"));
    let list =
        |parts: Vec<String>| if parts.is_empty() { "none".to_owned() } else { parts.join(", ") };
    let players = report.players.iter().filter_map(|(name, count)| nonzero((*name, *count)));
    let games = report.games.iter().filter_map(|(name, count)| nonzero((name.as_str(), *count)));
    writeln!(out, "Players    {}", list(players.collect()))?;
    writeln!(out, "Games      {}", list(games.collect()))?;
    writeln!(
        out,
        "Waiting    {} to fetch, {} to post, {} to archive",
        report.queues.fetch, report.queues.post, report.archive_pending
    )?;
    if report.running_games > 0 {
        writeln!(
            out,
            "Running    {} may still be going on",
            counted(report.running_games, "game", "games")
        )?;
    }
    if report.from_browsers > 0 {
        writeln!(
            out,
            "Browsers   brought the moves of {}",
            counted(report.from_browsers, "game", "games")
        )?;
    }
    let complete = &report.completeness;
    if let Some(share) = complete.share {
        writeln!(
            out,
            "Complete   {:.1} % of the games the site counts ({} of {} swept players without a gap)",
            (share * 1000.0).floor() / 10.0,
            complete.complete_players,
            complete.players
        )?;
    }
    for gap in &report.gaps {
        let name = printable(gap.username.as_deref().unwrap_or("unnamed"));
        let accepted = if gap.accepted { ", accepted" } else { "" };
        writeln!(
            out,
            "  gap      {} ({name}): {} of {} known{accepted}",
            gap.user_id, gap.known_games, gap.total_count
        )?;
    }
    for player in &report.failed_players {
        let name = printable(player.username.as_deref().unwrap_or("unnamed"));
        let next = player.next_retry_at.as_deref().unwrap_or("at the next pass");
        let reason = printable(&player.reason);
        writeln!(out, "  failed   {} ({name}): {reason}; next try {next}", player.user_id)?;
    }
    for reason in &report.reasons {
        writeln!(
            out,
            "  {}  {}: {}",
            reason.status,
            counted(reason.games, "game", "games"),
            reason_text(&reason.reason)
        )?;
    }
    let requests: Vec<String> =
        report.site_requests.iter().map(|(name, count)| format!("{count} {name}")).collect();
    writeln!(
        out,
        "Requests   {} ever, {} in the last hour",
        requests.join(", "),
        report.site.requests_last_hour
    )?;
    if let Some(until) = &report.site.throttled_until {
        writeln!(out, "Throttled  the site asked for silence until {until}")?;
    }
    if let (Some(since), Some(reason)) = (&report.site.blocked_since, &report.site.block_reason) {
        writeln!(out, "Refused    at {since}: {reason}")?;
    }
    if let Some(lease) = &report.lease {
        writeln!(
            out,
            "Crawling   process {} on {}, lease until {}",
            lease.pid,
            machine_name(&lease.host),
            lease.expires_at
        )?;
    }
    Ok(())
}

fn print_token(
    out: &mut impl Write,
    credentials: &SiteCredentials,
    now: UnixMillis,
) -> std::io::Result<()> {
    let Some(expiry) = credentials.with_token(token::expiry) else { return Ok(()) };
    let left = now.until(expiry).as_secs_f64();
    if expiry <= now {
        writeln!(out, "Token      expired at {expiry}: sign in on the site and set the new one")
    } else if left < WARN_BEFORE_SECONDS {
        writeln!(out, "Token      expires in {}, at {expiry}: renew it soon", duration_text(left))
    } else {
        writeln!(out, "Token      good until {expiry}")
    }
}
