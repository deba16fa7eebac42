// The report in a real browser. Usage: node report_test.mjs WRITE_REPORTS
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { assert_quiet, launch, open, poor_contrasts, temporary_folder } from "./browser.mjs";
import { injections } from "./injections.mjs";

const folder = temporary_folder();
const kinds = ["ordinary", "no-draws", "nothing", "one", "many", "troubled", "failures", "passed", "refused", "fallen-back"];
const address = (name) => pathToFileURL(join(folder, `${name}.html`)).href;
let browser;

before(async () => {
  const attacks = join(folder, "attacks.txt");
  writeFileSync(attacks, ["harmless", ...injections].map((text) => text + "\n").join(""));
  execFileSync(process.argv[2], [folder, attacks]);
  browser = await launch();
});
after(() => browser.close());

for (const kind of kinds) {
  test(`${kind}: opens without a message, a request or sideways scrolling, on a phone too, in both themes`, async () => {
    for (const [width, colorScheme] of [[1240, "light"], [1240, "dark"], [360, "light"], [360, "dark"]]) {
      const page = await open(browser, address(kind), { viewport: { width, height: 800 }, colorScheme });
      assert_quiet(page);
      const across = await page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(across <= width, `the page is ${across} pixels wide on a screen of ${width}`);
      const { seen, poor } = await poor_contrasts(page);
      assert.ok(seen > 20, `only ${seen} texts are in sight`);
      assert.deepEqual(poor, []);
      await page.context().close();
    }
  });

  test(`${kind}: every picture is drawn and says in words what it shows`, async () => {
    const page = await open(browser, address(kind));
    await page.evaluate(() => document.querySelectorAll("details").forEach((one) => { one.open = true; }));
    const faults = await page.evaluate(() => [...document.querySelectorAll("svg.plot")].flatMap((plot) => {
      const shapes = [...plot.querySelectorAll("svg path, svg rect:not(.hit)")];
      const drawn = shapes.some((shape) => {
        const box = shape.getBBox();
        return box.width > 0 || box.height > 0;
      });
      const found = [];
      if (!drawn) found.push("is empty");
      if (!plot.closest("figure")) found.push("is in no figure");
      if (plot.getAttribute("role") !== "img" || (plot.getAttribute("aria-label") ?? "").length < 20) found.push("has no words");
      if (/nan|undefined|inf\b/i.test(plot.getAttribute("aria-label"))) found.push("says " + plot.getAttribute("aria-label"));
      return found.map((fault) => `${plot.id} ${fault}`);
    }));
    assert.deepEqual(faults, []);
    const ids = await page.evaluate(() => [...document.querySelectorAll("[id]")].map((one) => one.id));
    assert.equal(new Set(ids).size, ids.length);
    await page.context().close();
  });
}

test("every kind of picture is there, and a pointer over it reads out a value", async () => {
  const page = await open(browser, address("failures"));
  for (const id of ["marginal-0", "pair-0-1", "trace-0", "ranks-0", "autocorrelation-0", "growth-rhat", "growth-ess", "paid", "stages",
                    "predicted", "z-scores", "unsure-0", "failures-1", "seconds", "workers"]) {
    const hit = page.locator(`#${id} .hit`).nth(1);
    await hit.scrollIntoViewIfNeeded();
    const words = await hit.getAttribute("data-tip");
    await hit.hover({ force: true });
    const tip = page.locator(".tip");
    assert.ok(await tip.isVisible(), `${id} shows nothing`);
    const told = await tip.textContent();
    assert.match(told, /\d/, id);
    if (!["predicted", "pair-0-1"].includes(id)) assert.equal(told, words);  // there, boxes overlap
    await page.mouse.move(1, 1);
    assert.ok(!(await tip.isVisible()));
  }
  assert_quiet(page);
  await page.context().close();
});

test("the arrow keys read out the values of a picture that has the focus", async () => {
  const page = await open(browser, address("ordinary"));
  const words = await page.locator("#marginal-0 .hit").evaluateAll((hits) => hits.map((hit) => hit.getAttribute("data-tip")));
  await page.locator("#marginal-0").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.equal(await page.locator(".tip").textContent(), words[1]);
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  assert.equal(await page.locator(".tip").textContent(), words.at(-1));
  await page.keyboard.press("Escape");
  assert.ok(!(await page.locator(".tip").isVisible()));
  await page.context().close();
});

test("light and dark follow the system, then the button; paper is always white", async () => {
  const page = await open(browser, address("ordinary"), { colorScheme: "dark" });
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const dark = await paper();
  await page.locator("#theme").focus();
  await page.keyboard.press("Enter");
  const light = await paper();
  assert.notEqual(light, dark);
  await page.emulateMedia({ colorScheme: "light" });
  await page.locator("#theme").click();
  assert.equal(await paper(), dark);
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  assert.equal(await paper(), "rgb(255, 255, 255)");
  assert.deepEqual((await poor_contrasts(page)).poor, []);
  assert.ok(!(await page.locator("#theme").isVisible()));
  assert.ok((await page.pdf({ format: "A4" })).length > 50000);
  await page.setViewportSize({ width: 718, height: 1000 });  // what its margins leave of A4
  const beyond = await page.evaluate(() => [...document.querySelectorAll("table, .pair-row figure, svg.plot")]
    .filter((one) => one.getBoundingClientRect().right > 719).map((one) => one.id || one.className || one.tagName));
  assert.deepEqual(beyond, []);
  assert_quiet(page);
  await page.context().close();
});

test("without its script the page is still readable", async () => {
  const page = await open(browser, address("ordinary"), { javaScriptEnabled: false });
  assert.ok(await page.locator("#verdict h2").isVisible());
  assert.equal(await page.locator("#summary tbody tr").count(), 4);
  assert.ok(await page.locator("#trace-0").isVisible());
  assert.ok(!(await page.locator("#theme").isVisible()));
  await page.context().close();
});

test("a hundred thousand draws of ten parameters: under 5 MB, open in under 2 s", async () => {
  assert.ok(statSync(join(folder, "large.html")).size < 5e6);
  // The clock on the wall also times whatever else this machine does, so it is only told. What is held to the limit is
  // the processor time of all of the browser's processes together: on an idle machine opening takes no longer.
  const session = await browser.newBrowserCDPSession();
  const processor_seconds = async () => {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    return processInfo.reduce((sum, one) => sum + one.cpuTime, 0);
  };
  const before = await processor_seconds();
  const page = await open(browser, address("large"));
  const wall = await page.evaluate(() => performance.getEntriesByType("navigation")[0].loadEventEnd);
  const taken = (await processor_seconds()) - before;
  assert_quiet(page);
  await page.context().close();
  const megabytes = statSync(join(folder, "large.html")).size / 1e6;
  console.log(`large.html: ${megabytes.toFixed(2)} MB, opened in ${Math.round(wall)} ms, ${taken.toFixed(2)} s of processor time`);
  assert.ok(taken > 0 && taken < 2, `it took ${taken} s of processor time`);
});

// Tags and the names of attributes, in order: all that a page is besides its text and values.
const structure = (page) => page.evaluate(() => [...document.querySelectorAll("*")]
  .filter((one) => !one.classList.contains("tip"))
  .map((one) => one.tagName + " " + [...one.attributes].map((each) => each.name).join(" ")).join("\n"));

test(`${injections.length} injection strings in every name and message: none has an effect, all are shown as text`, async () => {
  assert.ok(injections.length >= 200);
  const page = await open(browser, address("hostile-0"), { viewport: { width: 360, height: 800 } });
  const expected = await structure(page);
  assert_quiet(page);
  for (const [i, attack] of injections.entries()) {
    await page.turn_to(address(`hostile-${i + 1}`));
    const shown = attack.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "\ufffd");
    await page.locator("svg.plot .hit").first().hover({ force: true });
    assert_quiet(page);
    assert.equal(await page.evaluate(() => window.__effect), undefined, attack);
    assert.equal(await page.locator("h1").textContent(), shown);
    assert.equal(await page.locator("#summary tbody th").first().textContent(), shown);
    assert.equal(await page.locator(".message").first().textContent(), shown);
    assert.equal(await structure(page), expected, attack);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth) <= 360, `too wide: ${attack}`);
  }
  await page.context().close();
});
