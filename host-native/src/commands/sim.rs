//! `sim`: a simulated site to crawl, on loopback only.

use std::io::Write;
use std::net::SocketAddr;

use clap::Args;
use dicechess_sim::{SimOptions, SimServer, World, WorldSpec};

use super::CommandError;
use crate::exit_code::Exit;
use crate::progress::tell;
use crate::shutdown::Shutdown;

/// Arguments of `sim`.
#[derive(Debug, Args)]
#[command(after_help = "The lines printed set a shell up to crawl the simulated site: paste them \
into another terminal and run `dicechess-sync crawl` there.

Faults are switched with POST /sim/faults and cleared with DELETE /sim/faults, for example
  {\"fault\":{\"kind\":\"status\",\"status\":502},\"endpoint\":\"move_history\",\"when\":{\"next\":3}}
Kinds: unauthorized, challenge (status), html, too_many_requests (retry_after), unavailable \
(retry_after), not_found, status (status), reset, cut_body, truncated_json, not_json, oversized, \
stall (millis), stall_body (millis), no_list, broken_entry (entry), page_cap (rows), vanish_after \
(games), appear_after (games), unknown_die, unknown_promotion, unknown_square, illegal_move, no_map \
(how). An entry is wrong_type, lone_surrogate, not_an_object or no_opponent; how is empty_answer, null or \
empty_map. The request log is at GET /sim/log, the world's numbers at GET /sim/world.")]
pub struct SimArgs {
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8788")]
    listen: SocketAddr,
    /// What the simulated world contains.
    #[command(flatten)]
    world: WorldArgs,
}

/// How large the simulated world is.
#[derive(Debug, Clone, Args)]
pub struct WorldArgs {
    /// The seed: equal seeds give equal worlds.
    #[arg(long, default_value_t = 1, value_name = "N")]
    seed: u64,
    /// Human players.
    #[arg(long, default_value_t = 36, value_name = "N")]
    players: usize,
    /// Finished games.
    #[arg(long, default_value_t = 400, value_name = "N")]
    games: usize,
    /// Further games of one player, the whale.
    #[arg(long, default_value_t = 0, value_name = "N")]
    whale_games: usize,
}

impl WorldArgs {
    /// The world asked for.
    pub fn generate(&self) -> World {
        World::generate(WorldSpec {
            seed: self.seed,
            players: self.players,
            games: self.games,
            whale_games: self.whale_games,
            ..WorldSpec::default()
        })
    }
}

/// Serves the simulated site until it is stopped.
///
/// # Errors
/// The address cannot be listened on.
pub fn run(args: &SimArgs) -> Result<Exit, CommandError> {
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(async {
        let shutdown = Shutdown::on_signals()?;
        let options = SimOptions { listen: args.listen, ..SimOptions::default() };
        let mut server =
            SimServer::start(args.world.generate(), options).await.map_err(|error| {
                CommandError::Unusable(format!("--listen {}: {error}", args.listen))
            })?;
        let mut stdout = std::io::stdout();
        stdout.write_all(server.export_lines().as_bytes())?;
        stdout.flush()?;
        tell("The simulated site runs; Ctrl-C stops it.");
        tokio::select! {
            () = server.wait() => {}
            () = shutdown.requested() => {}
        }
        tell(&format!("{} requests were answered.", server.log().len()));
        server.shutdown().await;
        Ok(Exit::Done)
    })
}
