// Debian's Chromium without a window, and pages that tell when something is wrong with them.

import { existsSync } from "node:fs";

import { chromium } from "playwright-core";

const executablePath =
  process.env.CHROMIUM ??
  ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function launch() {
  if (!executablePath) throw new Error("no Chromium: `apt-get install chromium`, or set CHROMIUM");
  return chromium.launch({
    executablePath,
    args: [
      // Root has no other way, and the pages are our own.
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page of a person with this language, width and theme; `problems` gathers what goes wrong. */
export async function visitor(browser, daemon, options = {}) {
  const { language = "en-US", width = 1280, height = 900, theme = "light", ...more } = options;
  const context = await browser.newContext({
    locale: language,
    timezoneId: "Europe/Moscow",
    viewport: { width, height },
    colorScheme: theme,
    ...more,
  });
  const page = await context.newPage();
  const problems = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== "data:" && origin !== daemon.url) problems.push(`asked ${request.url()}`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`);
  });
  return { page, problems, context };
}
