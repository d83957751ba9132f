//! The stage archive: raw bundles are mirrored, and marked only after the archive has confirmed.

use super::{Pass, PassError, Stage, Stop};
use crate::clock::now;
use crate::progress::Line;

/// Archives everything that waits; tells how many games it handled. The first failure stops it:
/// what was not pushed stays pending.
pub(super) async fn run(pass: &mut Pass<'_>) -> Result<u64, PassError> {
    let mut handled = 0;
    while pass.may_go_on(Stage::Archive) {
        let archived = run_batch(pass).await?;
        handled += archived;
        if archived == 0 {
            break;
        }
        if pass.tools.progress.is_due(Line::Archive) {
            let left = pass.store.archive_pending()?;
            pass.tools.progress.show(Line::Archive, pass.report.archived, Some(left), "");
        }
    }
    Ok(handled)
}

async fn run_batch(pass: &mut Pass<'_>) -> Result<u64, PassError> {
    let Some(archive) = &pass.tools.parties.archive else { return Ok(0) };
    let mut archived = 0;
    for game in pass.store.next_to_archive(pass.settings.archive_batch)? {
        if !pass.may_go_on(Stage::Archive) {
            break;
        }
        // One at a time: the raw answers of a whole batch would fill the memory of a small machine.
        let Some(item) = pass.store.archive_item(game)? else { continue };
        let bundle = match item.bundle() {
            Ok(bundle) => bundle,
            Err(error) => {
                // Only a database of the older service can hold such a row; it stays pending.
                tracing::warn!(game = %item.game_id, "not archived: {error}");
                continue;
            }
        };
        if let Err(error) = archive.put(item.game_id, &bundle).await {
            pass.stop(Stop::ArchiveDown(error.to_string()));
            break;
        }
        pass.store.mark_archived(item.game_id, now())?;
        tracing::debug!(%game, "archived");
        pass.report.archived += 1;
        pass.tools.telemetry.stage_succeeded(Stage::Archive);
        archived += 1;
    }
    Ok(archived)
}
