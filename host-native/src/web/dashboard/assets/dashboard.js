// What pages gain with the script: times in the viewer's zone, numbers that move, questions in place.
// All of them work without it.

const language = document.documentElement.lang;

/** Writes times in the viewer's zone; days of charts stay UTC days. */
function localise(root) {
  const time = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" });
  const today = new Intl.DateTimeFormat(language, { timeStyle: "medium" });
  const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: "UTC" });
  const now = new Date();
  for (const element of root.querySelectorAll("time[datetime]")) {
    const at = new Date(element.dateTime);
    if (Number.isNaN(at.getTime())) continue;
    if (element.closest("[data-days]")) {
      element.textContent = day.format(at);
      continue;
    }
    const isToday = at.toDateString() === now.toDateString();
    element.textContent = (isToday ? today : time).format(at);
    element.title = `${at.toISOString().slice(0, 19).replace("T", " ")} UTC`;
  }
}

/** Fills an element anew, without losing what is open or has the focus inside it. */
function replace(element, html) {
  const open = [...element.querySelectorAll("details")].map((details) => details.open);
  const focusable = "a, button, summary";
  const focused = [...element.querySelectorAll(focusable)].indexOf(document.activeElement);
  element.innerHTML = html;
  localise(element);
  element.querySelectorAll("details").forEach((details, place) => {
    details.open = open[place] ?? false;
  });
  if (focused >= 0) element.querySelectorAll(focusable)[focused]?.focus({ preventScroll: true });
}

/** Follows the numbers while the page is looked at. */
function follow(url) {
  const sign = document.getElementById("live");
  let source;
  let again;
  const close = () => {
    clearTimeout(again);
    source?.close();
    source = undefined;
    sign?.classList.remove("on");
  };
  const open = () => {
    close();
    source = new EventSource(url);
    source.addEventListener("open", () => sign?.classList.add("on"));
    source.addEventListener("error", () => {
      sign?.classList.remove("on");
      // After an answer that is no stream the browser does not come back by itself.
      if (source?.readyState === EventSource.CLOSED) again = setTimeout(open, 15_000);
    });
    source.addEventListener("parts", (event) => {
      for (const [id, html] of Object.entries(JSON.parse(event.data))) {
        const element = document.getElementById(id);
        if (element) replace(element, html);
      }
    });
  };
  const look = () => (document.hidden ? close() : open());
  document.addEventListener("visibilitychange", look);
  window.addEventListener("pagehide", close);
  look();
}

/** Asks in place whether an act is meant. */
async function ask(link) {
  const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const form = page.getElementById("confirm");
  if (!form) {
    // Signed out meanwhile: the page itself says so.
    location.assign(link.href);
    return;
  }
  const dialog = document.createElement("dialog");
  const title = form.querySelector("h1");
  title.id = "confirm-title";
  dialog.setAttribute("aria-labelledby", title.id);
  dialog.append(form);
  form.querySelector("[data-cancel]").addEventListener("click", (event) => {
    event.preventDefault();
    dialog.close();
  });
  dialog.addEventListener("close", () => {
    dialog.remove();
    link.focus();
  });
  document.body.append(dialog);
  dialog.showModal();
}

localise(document);
const live = document.querySelector("[data-live]");
if (live) follow(live.dataset.live);
for (const link of document.querySelectorAll("a[data-confirm]")) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    ask(link).catch(() => location.assign(link.href));
  });
}
