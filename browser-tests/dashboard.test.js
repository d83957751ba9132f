// The dashboard of a daemon that crawls a simulated site, in Debian's Chromium.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";

import { launch, visitor } from "./browser.js";
import { ADMIN_TOKEN, start, until } from "./daemon.js";

let browser;
before(async () => {
  browser = await launch();
});
after(() => browser?.close());

/** Runs a visit; whatever the page complains about fails it. */
async function visit(daemon, options, work) {
  const { page, problems, context } = await visitor(browser, daemon, options);
  try {
    await work(page, problems);
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

/** The number a step of the funnel shows. */
async function stepNumber(page, lane, step) {
  const text = await page
    .locator("#funnel .lane")
    .nth(lane)
    .locator(".step strong")
    .nth(step)
    .textContent();
  return Number(text.replaceAll(/\D/g, ""));
}

const GAMES = 1;
const POSTED = 2;

describe("a backfill under way", () => {
  let daemon;
  before(async () => {
    // Slow enough to be seen, and to be far from its end when the page opens.
    daemon = await start({ games: 400, settings: { REQUEST_MIN_DELAY_MS: "60" } });
  });
  after(() => daemon?.stop());

  test("its numbers move by themselves", async () => {
    await visit(daemon, {}, async (page) => {
      await page.goto(daemon.url);
      assert.equal(await page.title(), "Overview · dicechess-sync");
      await page.locator("#live.on").waitFor();
      const opened = await page.evaluate(() => performance.timeOrigin);
      const before = await stepNumber(page, GAMES, POSTED);
      await until("more games are posted", async () => {
        return (await stepNumber(page, GAMES, POSTED)) > before;
      });
      assert.match(await page.locator("#eta").textContent(), /^≈ \d/);
      assert.equal(await page.locator("#role").textContent(), "Crawling");
      const asked = await page.locator("#budget .minutes rect").count();
      assert.ok(asked > 0, "the requests are drawn");
      assert.equal(await page.evaluate(() => performance.timeOrigin), opened);
    });
  });

  test("what is open and has the focus stays so", async () => {
    await visit(daemon, {}, async (page) => {
      await page.goto(daemon.url);
      const link = page.locator("#funnel a.step").first();
      await link.focus();
      const before = await page.locator("#asof").textContent();
      await until("the page is fed", async () => {
        return (await page.locator("#asof").textContent()) !== before;
      });
      assert.ok(await link.evaluate((element) => element === document.activeElement));
    });
  });
});

describe("a finished backfill", () => {
  let daemon;
  before(async () => {
    daemon = await start({
      games: 120,
      faults: [
        { fault: { kind: "unknown_die" }, endpoint: "move_history", when: { every_nth: 11 } },
        { fault: { kind: "status", status: 502 }, endpoint: "move_history", when: { every_nth: 47 } },
      ],
    });
    await until("everything was tried", async () => {
      const text = await (await fetch(`${daemon.url}/games?show=to-post`)).text();
      return text.includes("No games here") && (await ids(daemon, "posted")).length > 40;
    });
  });
  after(() => daemon?.stop());

  const pages = ["/", "/players", "/players/1000", "/games", "/parked", "/dice", "/sign-in"];

  test("every page speaks English and Russian", async () => {
    const titles = {
      "en-US": ["Overview", "Players", "player_0", "Games", "Parked", "Are the dice fair?", "Sign in"],
      "ru-RU": ["Обзор", "Игроки", "player_0", "Партии", "Отложенные", "Честны ли кости?", "Вход"],
    };
    for (const [language, expected] of Object.entries(titles)) {
      await visit(daemon, { language }, async (page) => {
        for (const [place, path] of pages.entries()) {
          await page.goto(daemon.url + path);
          assert.equal(await page.locator("h1").textContent(), expected[place]);
          assert.equal(await page.getAttribute("html", "lang"), language.slice(0, 2));
        }
      });
    }
  });

  test("a person may choose the other language", async () => {
    await visit(daemon, {}, async (page) => {
      await page.goto(`${daemon.url}/games?show=posted`);
      await page.getByRole("button", { name: "Русский" }).click();
      assert.equal(await page.locator("h1").textContent(), "Партии");
      assert.equal(page.url(), `${daemon.url}/games?show=posted`);
    });
  });

  test("every page fits a phone", async () => {
    const [game] = await ids(daemon, "posted");
    const [parked] = await ids(daemon, "parked");
    const all = [...pages, "/players?show=synced", "/games?show=waiting", `/games/${game}`, `/games/${parked}`];
    for (const language of ["en-US", "ru-RU"]) {
      await visit(daemon, { language, width: 360, height: 740 }, async (page) => {
        for (const path of all) {
          await page.goto(daemon.url + path);
          const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
          assert.ok(over <= 0, `${path} is ${over} px too wide`);
        }
      });
    }
  });

  test("words can be read in both themes", async () => {
    for (const theme of ["light", "dark"]) {
      await visit(daemon, { theme }, async (page) => {
        for (const path of pages) {
          await page.goto(daemon.url + path);
          const [least, where] = await page.evaluate(leastContrast);
          assert.ok(least >= 4.5, `${path}, ${theme}: ${least.toFixed(2)} at ${where}`);
        }
      });
    }
  });

  test("a game is stepped through with keys", async () => {
    const game = await longGame(daemon);
    await visit(daemon, {}, async (page) => {
      await page.goto(`${daemon.url}/games/${game}`);
      await page.locator("#board cg-board piece").first().waitFor();
      const steps = JSON.parse(await page.locator("#steps").textContent());
      const at = () => Number(new URL(page.url()).hash.slice(1));
      const pieces = () => page.locator("#board cg-board piece:not(.fading)").count();
      const expected = (step) => steps[step].board.replaceAll(/[^a-z]/gi, "").length;
      const press = async (key, step) => {
        await page.keyboard.press(key);
        assert.equal(at(), step, key);
        await until("the board follows", async () => (await pieces()) === expected(step));
        const dice = steps[step].dice;
        assert.equal(await page.locator("#dice .die").count(), dice.length);
        const used = dice.filter((die) => die.is_used).length;
        assert.equal(await page.locator("#dice .die.used").count(), used);
      };
      const second = steps.findIndex((step) => step.turn === 2);
      await press("ArrowRight", 1);
      await press("ArrowRight", 2);
      await press("ArrowLeft", 1);
      await press("ArrowDown", second);
      await press("PageUp", 1);
      await press("End", steps.length - 1);
      await press("Home", 0);
      await page.keyboard.press("f");
      await page.locator("#board .orientation-black").or(page.locator("#board.orientation-black")).waitFor();
      await page.keyboard.press(" ");
      await until("it plays", async () => at() > 0);
      await page.keyboard.press(" ");
      await page.goto(`${daemon.url}/games/${game}#${second}`);
      await page.reload();
      assert.equal(await page.locator("#turns .turn.current").getAttribute("data-turn"), "2");
      await page.locator("#turns a.move").first().click();
      assert.equal(at(), Number(await page.locator("#turns a.move").first().getAttribute("data-go")));
    });
  });

  test("a game can be read without the script", async () => {
    const [game] = await ids(daemon, "posted");
    await visit(daemon, { javaScriptEnabled: false }, async (page) => {
      await page.goto(`${daemon.url}/games/${game}`);
      assert.ok((await page.locator("#turns .turn").count()) > 0);
      assert.ok(!(await page.locator("#stage").isVisible()));
    });
  });

  test("a parked game is sent through again, once it is confirmed", async () => {
    await daemon.site.healed();
    await visit(daemon, {}, async (page) => {
      await page.goto(`${daemon.url}/parked`);
      assert.equal(await page.getByRole("link", { name: "Replay" }).count(), 0);
      await page.getByRole("main").getByRole("link", { name: "Sign in" }).click();
      await page.getByLabel("Token").fill(ADMIN_TOKEN);
      await page.getByRole("button", { name: "Sign in" }).click();
      assert.equal(page.url(), `${daemon.url}/parked`);
      const ask = page.getByRole("link", { name: "Replay", exact: true }).first();
      await ask.click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("link", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      assert.ok(await ask.evaluate((link) => link === document.activeElement));
      await page.keyboard.press("Enter");
      await dialog.getByRole("button", { name: "Yes, do it" }).click();
      const done = await page.getByRole("status").textContent();
      assert.equal(done.replaceAll("\u00a0", " "), "Back in the queue: 1 game.");
      assert.equal(await page.getByRole("button", { name: "Sign out" }).count(), 1);
    });
  });

  test("a wrong token opens nothing", async () => {
    await visit(daemon, {}, async (page, problems) => {
      await page.goto(`${daemon.url}/sign-in`);
      await page.getByLabel("Token").fill("guess");
      await page.getByRole("button", { name: "Sign in" }).click();
      assert.equal(await page.getByRole("alert").textContent(), "That is not the token.");
      // The refusal itself is what the browser complains about.
      assert.ok(problems.every((problem) => problem.includes("401")));
      problems.length = 0;
    });
  });
});

/** The games of a list. */
async function ids(daemon, list) {
  const text = await (await fetch(`${daemon.url}/games?show=${list}`)).text();
  return [...text.matchAll(/href="\/games\/([0-9a-f-]{36})"/g)].map(([, id]) => id);
}

/** A posted game of at least three turns. */
async function longGame(daemon) {
  for (const id of await ids(daemon, "posted")) {
    const text = await (await fetch(`${daemon.url}/games/${id}`)).text();
    if (text.includes('data-turn="3"')) return id;
  }
  throw new Error("all posted games are short");
}

/** The least contrast of any words on the page, by the formula of WCAG 2, and where. */
function leastContrast() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const luminance = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgba(getComputedStyle(at).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return rgba("Canvas");
  };
  let least = [21, ""];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const element = words.currentNode.parentElement;
    if (!words.currentNode.data.trim() || !element.checkVisibility()) continue;
    if (element.closest("script, svg")) continue;
    const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(ground(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < least[0]) least = [contrast, words.currentNode.data.trim().slice(0, 40)];
  }
  return least;
}
