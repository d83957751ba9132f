// A simulated site and a daemon that crawls it, both real processes on loopback.

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const binary = process.env.DICECHESS_SYNC ?? join(root, "target/debug/dicechess-sync");

export const ADMIN_TOKEN = "the operator's token";

/** Starts a site and a daemon; `settings` are further environment variables of the daemon. */
export async function start({ games = 120, players = 20, settings = {}, faults = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), "dicechess-browser-"));
  const processes = [];
  const stop = async () => {
    await Promise.all(processes.map(end));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const site = await startSite(folder, games, players, processes);
    for (const fault of faults) await site.fault(fault);
    const url = await startDaemon(folder, { ...site.settings, ...settings }, processes);
    return { url, site, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startDaemon(folder, settings, processes) {
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    DB_PATH: join(folder, "sync.db"),
    ARCHIVE_URL: join(folder, "archive"),
    LISTEN: `127.0.0.1:${port}`,
    ADMIN_TOKEN,
    TRANSPORT: "reqwest",
    CRAWL_INTERVAL: "1s",
    ...settings,
  };
  const daemon = run(["serve"], { cwd: folder, env });
  processes.push(daemon);
  const url = `http://127.0.0.1:${port}`;
  await until("the daemon answers", async () => {
    if (daemon.exitCode !== null) throw new Ended(daemon.output());
    return (await fetch(`${url}/healthz`)).ok;
  });
  return url;
}

/** The daemon ended by itself: no use waiting for it. */
class Ended extends Error {}

async function startSite(folder, games, players, processes) {
  const args = ["sim", "--listen", "127.0.0.1:0", "--games", `${games}`, "--players", `${players}`];
  const site = run(args, { cwd: folder });
  processes.push(site);
  const lines = await until("the simulated site answers", async () => {
    const found = site.output().match(/^export \w+=.*$/gm) ?? [];
    return found.length >= 6 && found;
  });
  const settings = Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = line.match(/^export (\w+)=(.*)$/);
      return [name, value];
    }),
  );
  const post = async (path, body) => {
    const answer = await fetch(`${settings.SITE_BASE_URL}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  return {
    settings,
    fault: (rule) => post("/sim/faults", rule),
    healed: () => post("/sim/faults", { clear: true }),
  };
}

function run(args, options) {
  const child = spawn(binary, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (part) => (text += part));
  }
  child.on("error", (error) => (text += error));
  child.output = () => text;
  return child;
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  const tooLate = setTimeout(() => child.kill("SIGKILL"), 10_000);
  await ended;
  clearTimeout(tooLate);
}

async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Asks until the answer is true, at most half a minute. */
export async function until(what, question) {
  const deadline = Date.now() + 30_000;
  for (;;) {
    let problem = "";
    try {
      const answer = await question();
      if (answer) return answer;
    } catch (error) {
      if (error instanceof Ended) throw error;
      problem = `: ${error.message}`;
    }
    if (Date.now() > deadline) throw new Error(`in vain: ${what}${problem}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
