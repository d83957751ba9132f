// Steps through a game: board, dice, clocks, and where in the list of moves it is.

const viewer = document.getElementById("viewer");
const steps = JSON.parse(document.getElementById("steps").textContent);
const { Chessground } = await import(viewer.dataset.board);

const language = document.documentElement.lang;
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const words = viewer.dataset;
const element = (id) => document.getElementById(id);
const turnOf = (step) => steps[step].turn;

let at = -1;
let timer;

element("stage").hidden = steps.length === 0;
viewer.classList.toggle("ready", steps.length > 0);
const board = Chessground(element("board"), {
  viewOnly: true,
  coordinates: true,
  animation: { enabled: !calm.matches, duration: 180 },
  drawable: { enabled: false },
  highlight: { lastMove: true, check: false },
  disableContextMenu: false,
});

/** 2:05, with tenths in the last ten seconds. */
function clock(millis) {
  if (millis === null) return "–:––";
  const left = Math.max(0, millis);
  if (left < 10_000) {
    const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
    return new Intl.NumberFormat(language, tenths).format(Math.floor(left / 100) / 10);
  }
  const seconds = Math.floor(left / 1000);
  const pad = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60) % 60;
  const hours = Math.floor(seconds / 3600);
  return hours > 0
    ? `${hours}:${pad(minutes)}:${pad(seconds % 60)}`
    : `${minutes}:${pad(seconds % 60)}`;
}

function die(side, { piece, is_used }) {
  const span = document.createElement("span");
  span.className = `die cg-wrap ${side}${is_used ? " used" : ""}`;
  const figure = document.createElement("piece");
  figure.className = `${side} ${piece}`;
  span.append(figure);
  return span;
}

/** Marks the step in the list and keeps it in sight, without moving the page. */
function mark(step) {
  const list = element("turns");
  list.querySelectorAll(".here, .current").forEach((old) => {
    old.classList.remove("here", "current");
    old.removeAttribute("aria-current");
  });
  const here = list.querySelector(`[data-go="${step}"]`);
  if (!here) {
    list.scrollTop = 0;
    return;
  }
  here.classList.add("here");
  here.setAttribute("aria-current", "step");
  const turn = here.closest(".turn");
  turn.classList.add("current");
  const above = turn.offsetTop - list.scrollTop;
  if (above < 0 || above + turn.offsetHeight > list.clientHeight) {
    list.scrollTop = turn.offsetTop - list.clientHeight / 2;
  }
}

function describe(step) {
  const { turn, side } = steps[step];
  if (!side) return words.start;
  const here = element("turns").querySelector(`[data-go="${step}"]`);
  const played = here?.classList.contains("move") ? ` · ${here.textContent}` : "";
  return `${words.turn} ${turn} · ${words[side]}${played}`;
}

function show(step) {
  const next = Math.min(Math.max(step, 0), steps.length - 1);
  if (next === at) return;
  at = next;
  const { board: fen, last, side, dice, clocks, stake } = steps[at];
  board.set({ fen, lastMove: last ?? undefined });
  element("dice").replaceChildren(...dice.map((one) => die(side, one)));
  for (const [place, name] of ["white", "black"].entries()) {
    const shown = document.querySelector(`[data-clock="${name}"]`);
    shown.textContent = clock(clocks[place]);
    shown.classList.toggle("running", side === name);
  }
  element("stake").textContent =
    stake === null ? "–" : new Intl.NumberFormat(language).format(stake);
  element("now").textContent = describe(at);
  mark(at);
  history.replaceState(null, "", at === 0 ? location.pathname + location.search : `#${at}`);
  if (at === steps.length - 1) pause();
}

/** The first step of the turn after, or of this one, or of the one before. */
function turnStart(direction) {
  const turn = turnOf(at);
  if (direction > 0) {
    const next = steps.findIndex((_, step) => turnOf(step) > turn);
    return next < 0 ? steps.length - 1 : next;
  }
  const first = steps.findIndex((_, step) => turnOf(step) === turn);
  if (first < at) return first;
  return Math.max(0, steps.findIndex((_, step) => turnOf(step) === turn - 1));
}

function pause() {
  clearInterval(timer);
  timer = undefined;
  playing(false);
}

function play() {
  if (at === steps.length - 1) show(0);
  timer = setInterval(() => show(at + 1), 900);
  playing(true);
}

function playing(is) {
  document.querySelector('[data-step="play"]').setAttribute("aria-pressed", String(is));
}

function flip() {
  board.toggleOrientation();
  const [upper, lower] = [element("upper"), element("lower")];
  const place = document.createComment("");
  upper.replaceWith(place);
  lower.replaceWith(upper);
  place.replaceWith(lower);
  [upper.id, lower.id] = ["lower", "upper"];
}

const acts = {
  first: () => show(0),
  "turn-back": () => show(turnStart(-1)),
  back: () => show(at - 1),
  play: () => (timer ? pause() : play()),
  forward: () => show(at + 1),
  "turn-forward": () => show(turnStart(1)),
  last: () => show(steps.length - 1),
  flip,
};

const keys = {
  ArrowLeft: "back",
  ArrowRight: "forward",
  ArrowUp: "turn-back",
  ArrowDown: "turn-forward",
  PageUp: "turn-back",
  PageDown: "turn-forward",
  Home: "first",
  End: "last",
  " ": "play",
  f: "flip",
};

function act(name) {
  if (name !== "play" && name !== "flip") pause();
  acts[name]();
}

function linked() {
  const step = Number.parseInt(location.hash.slice(1), 10);
  return Number.isInteger(step) ? step : 0;
}

if (steps.length > 0) {
  document.addEventListener("keydown", (event) => {
    const name = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    // Space presses a button or opens what it stands on.
    const target = event.target.closest("input, textarea, select, button, summary, a");
    if (target && (event.key === " " || target.matches("input, textarea, select"))) return;
    event.preventDefault();
    act(name);
  });
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => act(button.dataset.step));
  }
  element("turns").addEventListener("click", (event) => {
    const link = event.target.closest("[data-go]");
    if (!link) return;
    event.preventDefault();
    pause();
    show(Number(link.dataset.go));
  });
  window.addEventListener("hashchange", () => show(linked()));
  show(linked());
}
