//! The stage enumerate: players' histories into the catalogue.
//!
//! Acts on the core's sweep: asks for the page it wants, hands it the answer, and saves all that the
//! page brings in one transaction.

use dicechess_core::breaker::Outcome;
use dicechess_core::ids::UserId;
use dicechess_core::site::{Endpoint, HistoryPage, HistoryRequest, HistoryRow};
use dicechess_core::sweep::{
    GapDecision, Page, PageRequest, PageRow, RowKey, Sweep, SweepProgress, SweepStart,
};

use super::{Pass, PassError, Stage, watch};
use crate::clock::now;
use crate::progress::Line;
use crate::site::{SiteError, SiteRequest};
use crate::store::{ClaimedPlayer, PageAcceptance, PageAccepted};

/// A player whose sweep is under way. One that a round interrupts goes on in the next one.
pub(super) struct ActiveSweep {
    player: ClaimedPlayer,
    sweep: Sweep,
}

impl ActiveSweep {
    pub(super) const fn player_id(&self) -> UserId {
        self.player.user_id
    }
}

/// Whether the sweep in hand goes on after a page.
enum Step {
    GoesOn,
    Over,
}

/// Asks for at most `most` pages; tells how many it asked for.
pub(super) async fn run(pass: &mut Pass<'_>, most: u64) -> Result<u64, PassError> {
    let mut asked = 0;
    while asked < most && pass.may_go_on(Stage::Enumerate) {
        watch::attend(pass).await?;
        let Some(mut active) = next_sweep(pass)? else { break };
        let Some(request) = active.sweep.next_page() else { continue };
        asked += 1;
        let step = page(pass, &mut active, request).await?;
        if matches!(step, Step::GoesOn) {
            pass.sweep_in_hand = Some(active);
        }
        if pass.tools.progress.is_due(Line::Enumerate) {
            let remark = format!("{} games found", pass.report.new_games);
            let (swept, left) = (pass.report.players_swept, pass.store.players_left(now())?);
            pass.tools.progress.show(Line::Enumerate, swept, Some(left), &remark);
        }
    }
    Ok(asked)
}

/// The sweep in hand, or that of the next player.
fn next_sweep(pass: &mut Pass<'_>) -> Result<Option<ActiveSweep>, PassError> {
    if pass.sweep_in_hand.is_some() {
        return Ok(pass.sweep_in_hand.take());
    }
    let limit = pass.settings.max_players.unwrap_or(u64::MAX);
    if pass.report.players_swept + pass.report.players_failed >= limit {
        return Ok(None);
    }
    let claimed = pass.store.claim_next_player(now())?;
    Ok(claimed.map(|player| {
        let sweep = Sweep::new(SweepStart {
            cursor: player.cursor,
            offset: player.offset,
            memory: player.memory.clone(),
            page_size: pass.settings.page_size,
            page_size_max: pass.settings.page_size_max,
            known_total: player.total_count,
            now: now(),
        });
        ActiveSweep { player, sweep }
    }))
}

/// Asks for one page and takes it.
async fn page(
    pass: &mut Pass<'_>,
    active: &mut ActiveSweep,
    wanted: PageRequest,
) -> Result<Step, PassError> {
    let failure = match pass.ask(&site_request(&active.player, wanted)).await {
        Ok(response) => {
            let body = String::from_utf8_lossy(&response.body);
            match HistoryPage::parse(&body) {
                Ok(page) => {
                    pass.report.overlapping_pages += u64::from(wanted.first > 0);
                    return take(pass, active, &page);
                }
                Err(error) => error.to_string(),
            }
        }
        Err(SiteError::NotFound) => "HTTP 404: the site has no history of this player".to_owned(),
        Err(error @ (SiteError::Failed(_) | SiteError::Throttled(_))) => error.to_string(),
        Err(error) => {
            pass.site_stopped(error)?;
            pass.store.release_player(active.player.user_id, now())?;
            return Ok(Step::Over);
        }
    };
    fail(pass, active, &failure)
}

fn take(
    pass: &mut Pass<'_>,
    active: &mut ActiveSweep,
    page: &HistoryPage<'_>,
) -> Result<Step, PassError> {
    let player = &active.player;
    pass.report.pages += 1;
    let outcome = match active.sweep.accept(&core_page(page)) {
        Ok(outcome) => outcome,
        Err(error) => {
            // The rows are games all the same; only the sweep has to begin anew.
            let acceptance = acceptance(player, page, page.rows.len(), SweepProgress::default());
            let accepted = pass.store.accept_history_page(&acceptance, now())?;
            pass.count(&accepted);
            return fail(pass, active, &error.to_string());
        }
    };
    pass.record(Stage::Enumerate, Outcome::Success, None);
    pass.report.stepped_back += u64::from(outcome.stepped_back);
    if outcome.stepped_back {
        tracing::info!(player = %player.user_id, "rows vanished from the history: stepping back");
    }
    let is_over = outcome.finished.is_some();
    let acceptance = PageAcceptance {
        finished: outcome.finished,
        ..acceptance(player, page, outcome.take, outcome.progress)
    };
    let accepted = pass.store.accept_history_page(&acceptance, now())?;
    pass.count(&accepted);
    report_page(player, page, &accepted);
    if !is_over {
        return Ok(Step::GoesOn);
    }
    pass.report.players_swept += 1;
    Ok(Step::Over)
}

fn fail(pass: &mut Pass<'_>, active: &ActiveSweep, cause: &str) -> Result<Step, PassError> {
    tracing::warn!(player = %active.player.user_id, "history failed: {cause}");
    pass.store.fail_player(active.player.user_id, cause, now())?;
    pass.report.players_failed += 1;
    pass.record(Stage::Enumerate, Outcome::Failure, Some(cause));
    Ok(Step::Over)
}

impl Pass<'_> {
    pub(super) fn count(&mut self, accepted: &PageAccepted) {
        self.report.new_games += accepted.new_games as u64;
        self.report.broken_entries += accepted.broken as u64;
    }
}

fn site_request(player: &ClaimedPlayer, wanted: PageRequest) -> SiteRequest {
    let history = HistoryRequest {
        player: player.user_id,
        start_date: wanted.start_date,
        page_size: wanted.page_size,
        first: wanted.first,
    };
    SiteRequest {
        endpoint: Endpoint::History,
        query: None,
        body: Some(history.to_json()),
        validators: Vec::new(),
    }
}

/// The page as the sweep sees it: broken rows occupy a position, too.
fn core_page(page: &HistoryPage<'_>) -> Page {
    let row = |row: &HistoryRow<'_>| match &row.entry {
        Ok(entry) => PageRow { key: RowKey::game(entry.game_id), started: entry.started_at },
        Err(_) => PageRow { key: RowKey::broken(row.json.as_bytes()), started: None },
    };
    Page {
        rows: page.rows.iter().map(row).collect(),
        total_count: page.total_count,
        filtered_count: page.filtered_count,
    }
}

fn acceptance<'a>(
    player: &ClaimedPlayer,
    page: &'a HistoryPage<'a>,
    take: usize,
    progress: SweepProgress,
) -> PageAcceptance<'a> {
    PageAcceptance {
        user_id: player.user_id,
        depth: player.depth,
        rows: &page.rows[..take],
        total_count: page.total_count,
        progress,
        finished: None,
    }
}

/// Says what a page brought, and what broken entries and a gap of a finished sweep mean.
fn report_page(player: &ClaimedPlayer, page: &HistoryPage<'_>, accepted: &PageAccepted) {
    let user = player.user_id;
    tracing::debug!(
        player = %user,
        rows = page.rows.len(),
        new_games = accepted.new_games,
        new_players = accepted.new_players,
        is_last = accepted.finished.is_some(),
        "history page accepted"
    );
    if accepted.broken > 0 {
        tracing::warn!(player = %user, "{} broken history entries skipped and kept", accepted.broken);
    }
    let total = page.total_count.unwrap_or_default();
    match accepted.finished {
        Some((GapDecision::Resweep, known)) => {
            tracing::info!(player = %user, "{known} of {total} games are known: sweeping again");
        }
        Some((GapDecision::Report, known)) => {
            tracing::warn!(player = %user, "{known} of {total} games are known after a second sweep");
        }
        Some((GapDecision::Complete | GapDecision::Accepted, _)) | None => {}
    }
}
