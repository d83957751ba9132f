//! The stage fetch: the moves of catalogued games, newest game first.

use dicechess_core::breaker::Outcome;
use dicechess_core::ids::GameId;
use dicechess_core::site::{Endpoint, game_move_history_query};

use super::{Pass, PassError, Stage, watch};
use crate::clock::now;
use crate::progress::Line;
use crate::site::{SiteError, SiteRequest};

/// Fetches at most `most` games; tells how many requests it made.
pub(super) async fn run(pass: &mut Pass<'_>, most: u64) -> Result<u64, PassError> {
    let mut asked = 0;
    while asked < most && pass.may_go_on(Stage::Fetch) {
        watch::attend(pass).await?;
        if is_limit_reached(pass) {
            break;
        }
        let Some(game) = pass.store.next_to_fetch(now(), 1)?.pop() else { break };
        asked += 1;
        fetch(pass, game).await?;
        if pass.tools.progress.is_due(Line::Fetch) {
            let left = pass.store.fetch_left(now())?;
            pass.tools.progress.show(Line::Fetch, pass.report.fetched, Some(left), "");
        }
    }
    Ok(asked)
}

fn is_limit_reached(pass: &Pass<'_>) -> bool {
    let limit = pass.settings.max_games.unwrap_or(u64::MAX);
    pass.report.fetched + pass.report.fetch_failed >= limit
}

/// Fetches one game.
pub(super) async fn fetch(pass: &mut Pass<'_>, game: GameId) -> Result<(), PassError> {
    let request = SiteRequest {
        endpoint: Endpoint::MoveHistory,
        query: Some(game_move_history_query(game)),
        body: None,
        validators: Vec::new(),
    };
    let failure = match pass.ask(&request).await {
        Ok(response) => match String::from_utf8(response.body) {
            Ok(body) => {
                let outcome = pass.store.accept_move_history(game, &body, now())?;
                tracing::debug!(%game, bytes = body.len(), ?outcome, "fetched");
                pass.report.fetched += 1;
                pass.record(Stage::Fetch, Outcome::Success, None);
                pass.announce_delivery();
                return Ok(());
            }
            Err(error) => format!("the body is not UTF-8: {error}"),
        },
        Err(SiteError::NotFound) => "HTTP 404: the site has no moves of this game".to_owned(),
        Err(error @ (SiteError::Failed(_) | SiteError::Throttled(_))) => error.to_string(),
        Err(error) => return pass.site_stopped(error),
    };
    tracing::warn!(%game, "fetch failed: {failure}");
    pass.report.fetch_failed += 1;
    pass.store.fetch_failed(game, failure.clone(), now())?;
    pass.record(Stage::Fetch, Outcome::Failure, Some(&failure));
    Ok(())
}
