// A browser for the tests, and what each page must hold to.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

export async function launch() {
  return chromium.launch({ executablePath: process.env.HUNCH_CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
}

export function temporary_folder() {
  const folder = mkdtempSync(join(tmpdir(), "hunch-browser-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

// A page that keeps what goes wrong: `page.troubles` has console messages, errors, dialogs and requests for other than
// its own address.
export async function open(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1240, height: 900 }, ...options });
  const page = await context.newPage();
  page.troubles = [];
  page.on("console", (message) => page.troubles.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.troubles.push(`error: ${error}`));
  page.on("dialog", (dialog) => {
    page.troubles.push(`dialog: ${dialog.message()}`);
    dialog.dismiss();
  });
  let own = address;
  page.on("request", (request) => {
    if (request.url() !== own) page.troubles.push(`request: ${request.url()}`);
  });
  page.turn_to = (next) => {
    own = next;
    return page.goto(next, { waitUntil: "load" });
  };
  await page.turn_to(address);
  return page;
}

export function assert_quiet(page) {
  assert.deepEqual(page.troubles, []);
}

// All text in sight whose contrast with what is behind it is below 4.5 : 1.
export function poor_contrasts(page) {
  return page.evaluate(() => {
    const channels = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const [r, g, b, alpha = 1] = channels(getComputedStyle(at).backgroundColor);
        if (alpha === 1) return [r, g, b];
      }
      return [255, 255, 255];
    };
    const poor = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = 0;
    while (walker.nextNode()) {
      const element = walker.currentNode.parentElement;
      if (!walker.currentNode.data.trim() || !element.checkVisibility() || element.closest("script, style")) continue;
      const style = getComputedStyle(element);
      const colour = channels(element instanceof SVGElement ? style.fill : style.color);
      const [low, high] = [luminance(colour), luminance(behind(element))].sort((a, b) => a - b);
      seen += 1;
      if ((high + 0.05) / (low + 0.05) < 4.5) poor.push(`${walker.currentNode.data}: ${style.color}`);
    }
    return { seen, poor };
  });
}
