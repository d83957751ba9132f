//! `pair`: browser extensions that may send what they see.

use std::io::Write;

use clap::{Args, Subcommand};
use dicechess_core::pairing::PairingCode;
use rand::TryRngCore;
use rand::rngs::OsRng;
use serde_json::json;

use super::CommandError;
use crate::clock::now;
use crate::config::{StoreSettings, resolve_store};
use crate::exit_code::Exit;
use crate::printable::printable;
use crate::store::{Pairing, PairingId, Store};

/// Arguments of `pair`.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Prints a one-time code. Enter it in the extension's options within ten minutes, \
while `serve` runs: the extension exchanges it for a secret of its own, and from then on sends \
each game it sees, so that the site is not asked for it. Works while `serve` runs."
)]
pub struct PairArgs {
    #[command(subcommand)]
    action: Option<Action>,
    /// What to call the browser in `pair list`, such as "Firefox on the laptop".
    #[arg(long, value_name = "TEXT")]
    label: Option<String>,
    /// Print JSON for scripts.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: StoreSettings,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// The browsers that are paired or were.
    List {
        /// Print JSON for scripts.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        settings: StoreSettings,
    },
    /// Let a browser in no more: neither its secret nor its origin.
    Revoke {
        /// Its number in `pair list`.
        id: PairingId,
        #[command(flatten)]
        settings: StoreSettings,
    },
}

/// Prints a code, lists pairings or revokes one. A running `serve` follows at once.
///
/// # Errors
/// The database failed, there is no such pairing, or the system gives no random numbers.
pub fn run(args: &PairArgs) -> Result<Exit, CommandError> {
    match &args.action {
        None => print_code(args)?,
        Some(Action::List { json, settings }) => list(&open(settings)?.pairings()?, *json)?,
        Some(Action::Revoke { id, settings }) => revoke(&open(settings)?, *id)?,
    }
    Ok(Exit::Done)
}

fn open(settings: &StoreSettings) -> Result<Store, CommandError> {
    Ok(Store::open_existing(&resolve_store(settings)?.0)?)
}

fn print_code(args: &PairArgs) -> Result<(), CommandError> {
    let random = OsRng
        .try_next_u64()
        .map_err(|error| CommandError::Io(std::io::Error::other(error.to_string())))?;
    let code = PairingCode::from_random(random);
    let label = args.label.as_deref().map(str::trim).filter(|label| !label.is_empty());
    let expires_at = open(&args.settings)?.add_pairing_code(code, label, now())?;
    let mut out = std::io::stdout().lock();
    if args.json {
        let text = json!({ "code": code.to_string(), "expires_at": expires_at.to_string() });
        writeln!(out, "{text}")?;
    } else {
        writeln!(
            out,
            "{code}\n\nEnter this code in the extension's options before {expires_at} (ten \
             minutes), while `serve` runs.\nIt can be used once. `dicechess-sync pair list` shows \
             what came of it."
        )?;
    }
    Ok(())
}

fn list(pairings: &[Pairing], json: bool) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    if json {
        let text = serde_json::to_string(pairings).map_err(std::io::Error::from)?;
        return Ok(writeln!(out, "{text}")?);
    }
    if pairings.is_empty() {
        writeln!(out, "No browser is paired: `dicechess-sync pair` prints a code for one.")?;
    }
    for pairing in pairings {
        writeln!(out, "{}", describe(pairing))?;
    }
    Ok(())
}

fn describe(pairing: &Pairing) -> String {
    let label = printable(pairing.label.as_deref().unwrap_or("unnamed"));
    let last = pairing.last_used_at.as_deref().unwrap_or("never");
    let end = match &pairing.revoked_at {
        Some(when) => format!(", revoked {when}"),
        None => String::new(),
    };
    format!(
        "{}  {label}  {}  paired {}, last sent a game {last}{end}",
        pairing.id,
        printable(&pairing.origin),
        pairing.created_at
    )
}

fn revoke(store: &Store, id: PairingId) -> Result<(), CommandError> {
    if store.revoke_pairing(id, now())? {
        writeln!(std::io::stdout(), "Pairing {id} is revoked: its browser is let in no more.")?;
        return Ok(());
    }
    let known = store.pairings()?.into_iter().find(|pairing| pairing.id == id);
    Err(CommandError::BadInput(match known.and_then(|pairing| pairing.revoked_at) {
        Some(when) => format!("pairing {id} was revoked at {when} already"),
        None => format!("there is no pairing {id}: `dicechess-sync pair list` shows them"),
    }))
}
