//! Seeds and leaderboards into the frontier.
//!
//! Leaderboards are asked at most once in 24 hours, conditionally. One that cannot be had or read
//! is a warning: the players found through others are walked all the same. It is asked again after 5
//! minutes, then after twice as long each time, unless the site says that there is none.

use std::time::Duration;

use dicechess_core::lifecycle::retry_delay;
use dicechess_core::site::{Endpoint, LeaderboardRow, parse_leaderboard};

use super::{Pass, PassError, Stage};
use crate::clock::now;
use crate::site::{SiteError, SiteRequest, SiteResponse};
use crate::store::{DiscoveredVia, PlayerSighting, SourceAcceptance, SourceRecord};

/// How often a leaderboard is asked at most.
const ASK_EVERY: Duration = Duration::from_hours(24);

impl Pass<'_> {
    pub(super) async fn seed(&mut self) -> Result<(), PassError> {
        self.store.seed_players(&self.settings.seed_ids, now())?;
        for (endpoint, via) in [
            (Endpoint::Leaderboard, DiscoveredVia::Leaderboard),
            (Endpoint::X2Leaderboard, DiscoveredVia::X2Leaderboard),
        ] {
            if self.may_go_on(Stage::Enumerate) {
                self.ask_leaderboard(endpoint, via).await?;
            }
        }
        Ok(())
    }

    async fn ask_leaderboard(
        &mut self,
        endpoint: Endpoint,
        via: DiscoveredVia,
    ) -> Result<(), PassError> {
        let known = self.store.source(via.as_str())?;
        let is_fresh = known.as_ref().is_some_and(|source| source.checked_at + ASK_EVERY > now());
        // While nobody is known, a leaderboard that failed before is the only way in.
        if is_fresh && self.store.has_players()? {
            return Ok(());
        }
        let validators = known.as_ref().map(SourceRecord::validators).unwrap_or_default();
        let request = SiteRequest { endpoint, query: None, body: None, validators };
        match self.ask(&request).await {
            Ok(response) if response.status == 304 => {
                self.store.touch_source(via.as_str(), now())?;
            }
            Ok(response) => self.accept_leaderboard(via, &response)?,
            Err(error @ SiteError::NotFound) => {
                tracing::warn!("the {} cannot be had, asked again in a day: {error}", via.as_str());
                self.store.touch_source(via.as_str(), now())?;
            }
            Err(error @ (SiteError::Failed(_) | SiteError::Throttled(_))) => {
                return self.ask_again_soon(via, &error);
            }
            Err(error) => return self.site_stopped(error),
        }
        self.breakers.failed_sources.remove(via.as_str());
        Ok(())
    }

    /// The time is kept as if it had been asked so long ago that it is due then.
    fn ask_again_soon(&mut self, via: DiscoveredVia, error: &SiteError) -> Result<(), PassError> {
        let failures = self.breakers.failed_sources.entry(via.as_str()).or_default();
        *failures = failures.saturating_add(1);
        let pause = retry_delay(*failures);
        let minutes = pause.as_secs() / 60;
        let name = via.as_str();
        tracing::warn!("the {name} cannot be had, asked again in {minutes} minutes: {error}");
        Ok(self.store.touch_source(name, now() + pause - ASK_EVERY)?)
    }

    fn accept_leaderboard(
        &mut self,
        via: DiscoveredVia,
        response: &SiteResponse,
    ) -> Result<(), PassError> {
        let body = String::from_utf8_lossy(&response.body);
        let rows = parse_leaderboard(&body).unwrap_or_else(|error| {
            tracing::warn!("{}: {error}; its answer is kept", via.as_str());
            Vec::new()
        });
        let sightings: Vec<_> = rows.into_iter().map(|row| sighting(row, via)).collect();
        let acceptance = SourceAcceptance {
            name: via.as_str(),
            body: &body,
            etag: response.header("etag"),
            last_modified: response.header("last-modified"),
            players: &sightings,
        };
        Ok(self.store.accept_source(&acceptance, now())?)
    }
}

fn sighting(row: LeaderboardRow, via: DiscoveredVia) -> PlayerSighting {
    let (rating_classic, rating_x2) = match via {
        DiscoveredVia::X2Leaderboard => (None, row.rating),
        _ => (row.rating, None),
    };
    PlayerSighting {
        user_id: row.user_id,
        username: row.username,
        rating_classic,
        rating_x2,
        discovered_rating: None,
        via,
        depth: 0,
    }
}
