//! Looks after watched players: their games are wanted within minutes of their end.
//!
//! Decides that a look that is due comes before whatever else would be asked next, that it asks for
//! one page of the newest rows, and that the games found are fetched at once. All of it goes through
//! the same limiter and budget. Whoever has more new games than a page holds is swept as usual.

use dicechess_core::breaker::Outcome;
use dicechess_core::site::{Endpoint, HistoryPage, HistoryRequest};

use super::{Pass, PassError, Stage, fetch};
use crate::clock::now;
use crate::site::{SiteError, SiteRequest};
use crate::store::DueLook;

/// Rows of one look. A player finishes far fewer games between two looks.
const PAGE_SIZE: u32 = 50;

/// Makes all looks that are due.
pub(super) async fn attend(pass: &mut Pass<'_>) -> Result<(), PassError> {
    while pass.settings.attends_watches && pass.may_go_on(Stage::Enumerate) {
        let Some(due) = pass.store.due_look(now())? else { break };
        if !look(pass, &due).await? {
            break;
        }
        for game in pass.store.next_to_fetch_of(due.user_id, due.since, now())? {
            if !pass.may_go_on(Stage::Fetch) {
                break;
            }
            fetch::fetch(pass, game).await?;
        }
    }
    Ok(())
}

/// Makes one look; tells whether the site may be asked on.
async fn look(pass: &mut Pass<'_>, due: &DueLook) -> Result<bool, PassError> {
    let failure = match pass.ask(&request(due)).await {
        Ok(response) => {
            let body = String::from_utf8_lossy(&response.body);
            match HistoryPage::parse(&body) {
                Ok(page) => return take(pass, due, &page).map(|()| true),
                Err(error) => error.to_string(),
            }
        }
        Err(SiteError::NotFound) => "HTTP 404: the site has no history of this player".to_owned(),
        Err(error @ (SiteError::Failed(_) | SiteError::Throttled(_))) => error.to_string(),
        Err(error) => return pass.site_stopped(error).map(|()| false),
    };
    tracing::warn!(player = %due.user_id, "a look at a watched player failed: {failure}");
    pass.store.fail_look(due.user_id, &failure, now())?;
    pass.record(Stage::Enumerate, Outcome::Failure, Some(&failure));
    Ok(true)
}

fn take(pass: &mut Pass<'_>, due: &DueLook, page: &HistoryPage<'_>) -> Result<(), PassError> {
    let accepted = pass.store.accept_look(due, &page.rows, now())?;
    pass.record(Stage::Enumerate, Outcome::Success, None);
    pass.count(&accepted);
    pass.report.pages += 1;
    pass.report.looks += 1;
    tracing::debug!(
        player = %due.user_id, rows = page.rows.len(), new_games = accepted.new_games, "looked"
    );
    let rows = page.rows.len() as u64;
    if page.filtered_count.is_some_and(|count| count > rows) {
        pass.store.refresh_now(due.user_id, now())?;
    }
    Ok(())
}

fn request(due: &DueLook) -> SiteRequest {
    let history = HistoryRequest {
        player: due.user_id,
        start_date: Some(due.since),
        page_size: PAGE_SIZE,
        first: 0,
    };
    SiteRequest {
        endpoint: Endpoint::History,
        query: None,
        body: Some(history.to_json()),
        validators: Vec::new(),
    }
}
