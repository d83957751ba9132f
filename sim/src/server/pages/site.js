// A small single-page site. It loads its data in the ways that real ones do; `?load=` chooses one:
//
//   fetch      fetch(url, init), as most pages do; the default on games
//   request    fetch(new Request(url, init)); the default on the home page
//   xhr        XMLHttpRequest; the default on profiles
//   json       XMLHttpRequest whose answer the browser parses
//   buffer     XMLHttpRequest that wants bytes
//   replaced   after the page has put a function of its own in the place of fetch
//   frame      the fetch of an empty frame
//   none       not at all
//
// A game page with `?player=<id>` is that of somebody who plays or watches: once the game is over
// (the button, or `window.dispatchEvent(new Event("game-over"))`) it loads the player's history and
// the moves, unless `?after=none`.

const token = document.querySelector("meta[name=session]").content;
const main = document.querySelector("main");
let isReplaced = false;

addEventListener("popstate", show);
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='/']");
  if (!link || event.ctrlKey || event.metaKey || event.button !== 0) return;
  event.preventDefault();
  history.pushState(null, "", link.getAttribute("href"));
  show();
});
show();

async function show() {
  const { pathname, search } = location;
  const [, kind, id] = pathname.split("/");
  const options = new URLSearchParams(search);
  main.replaceChildren(element("p", "Loading…"));
  try {
    if (kind === "profile") await showProfile(id, options);
    else if (kind === "game") await showGame(id, options);
    else await showHome(options);
    main.dataset.shown = pathname;
  } catch (error) {
    main.replaceChildren(element("p", `This could not be loaded: ${error.message}`));
  }
}

async function showHome(options) {
  const answer = await load(options.get("load") ?? "request", "GET", "/api/leaderboard");
  const rows = Array.isArray(answer) ? answer : Object.values(answer ?? {}).find(Array.isArray) ?? [];
  const list = rows.map((row) => {
    const id = row.userId ?? row.id ?? row.playerId;
    return [link(`/profile/${id}`, row.userName ?? row.username ?? row.name ?? `${id}`), `${row.rating ?? row.points ?? ""}`];
  });
  main.replaceChildren(element("h1", "Leaderboard"), table(["Player", "Rating"], list));
}

async function showProfile(id, options) {
  const page = await loadHistory(options.get("load") ?? "xhr", id);
  const list = (page?.gameHistoryList ?? []).map((entry) => [
    link(`/game/${entry.gameId}`, `${entry.startTime ?? entry.gameId}`),
    `${entry.historyOpponent?.opponentName ?? entry.historyOpponent?.opponentId}`,
    { 1: "won", 0: "drawn", "-1": "lost" }[entry.result] ?? (entry.isCancelled ? "cancelled" : "running"),
  ]);
  main.replaceChildren(element("h1", `Player ${id}`), table(["Game", "Opponent", "Result"], list));
}

async function showGame(id, options) {
  const way = options.get("load") ?? "fetch";
  const moves = await loadMoves(way, id);
  const states = Object.keys(moves?.gameMoveHistoryStateMap ?? {}).map(Number).sort((a, b) => a - b);
  const last = moves?.gameMoveHistoryStateMap?.[states.at(-1)];
  main.replaceChildren(
    element("h1", `Game ${id}`),
    element("p", states.length > 0 ? `${states.length} states` : "No moves."),
    element("code", last?.fen ?? ""),
  );
  const player = options.get("player");
  if (!player) return;
  const over = element("button", "The game is over");
  const end = async () => {
    over.remove();
    if (options.get("after") === "none") return;
    await loadHistory("xhr", player);
    await loadMoves(way === "none" ? "fetch" : way, id);
    main.dataset.shown = `${location.pathname} to its end`;
  };
  over.addEventListener("click", end, { once: true });
  addEventListener("game-over", () => over.click(), { once: true });
  main.append(element("p", ""), over);
}

function loadHistory(way, player) {
  return load(way, "POST", "/api/player/history", {
    filters: { PLAYER_ID: `${player}` }, startBets: [], allowedTimes: [], pageSize: 20, first: 0,
    sortColumn: "DATE", isAsc: false,
  });
}

function loadMoves(way, game) {
  return load(way, "GET", `/api/game-move-history?gameId=${game}`);
}

async function load(way, method, url, body) {
  const headers = { authorization: `Bearer ${token}` };
  if (body) headers["content-type"] = "application/json";
  const init = { method, headers, body: body && JSON.stringify(body) };
  switch (way) {
    case "none":
      return null;
    case "request":
      return read(await fetch(new Request(url, init)));
    case "replaced":
      replaceFetch();
      return read(await fetch(url, init));
    case "frame":
      return read(await emptyFrame().fetch(new URL(url, location.href).href, init));
    case "xhr":
      return JSON.parse(await ask("", init, url));
    case "json":
      return ask("json", init, url);
    case "buffer":
      return JSON.parse(new TextDecoder().decode(await ask("arraybuffer", init, url)));
    default:
      return read(await fetch(url, init));
  }
}

async function read(response) {
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return response.json();
}

function ask(responseType, { method, headers, body }, url) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = responseType;
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.onload = () => (request.status < 400 ? resolve(request.response) : reject(new Error(`HTTP ${request.status}`)));
    request.onerror = () => reject(new Error("no answer"));
    request.send(body);
  });
}

/** As programs that watch or mend fetch do. */
function replaceFetch() {
  if (isReplaced) return;
  isReplaced = true;
  const before = window.fetch;
  window.fetch = function fetch(...args) {
    return before.apply(this, args);
  };
}

function emptyFrame() {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  document.body.append(frame);
  return frame.contentWindow;
}

function table(names, rows) {
  const made = element("table", "");
  made.append(row("th", names), ...rows.map((cells) => row("td", cells)));
  return made;
}

function row(kind, cells) {
  const made = element("tr", "");
  for (const cell of cells) {
    const holder = element(kind, "");
    holder.append(cell);
    made.append(holder);
  }
  return made;
}

function link(href, text) {
  const made = element("a", text);
  made.setAttribute("href", href);
  return made;
}

function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}
