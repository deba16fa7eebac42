// `hunch watch` beside a run that goes on. Usage: node watch_test.mjs HUNCH
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { launch, temporary_folder } from "./browser.mjs";

const program = process.argv[2];
const here = dirname(fileURLToPath(import.meta.url));
const folder = temporary_folder();
const started = [];
after(() => started.forEach((process) => process.kill("SIGKILL")));

function start(...words) {
  const process = spawn(program, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  started.push(process);
  process.ended = once(process, "exit").then(([code]) => code);
  return process;
}

async function until(condition, what) {
  for (let tries = 0; tries < 1200; ++tries) {
    if (await condition()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  assert.fail(`did not happen: ${what}`);
}

async function watching(name) {
  const process = start("watch", name);
  const [line] = await once(process.stdout, "data");
  const address = /http:\/\/127\.0\.0\.1:(\d+)\//.exec(line.toString());
  assert.ok(address, line.toString());
  return { process, address: address[0], port: Number(address[1]) };
}

function ask(port, options) {
  return new Promise((resolve, reject) => {
    const asked = request({ host: "127.0.0.1", port, ...options }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
    asked.end();
  });
}

function reachable(host, port) {
  return new Promise((resolve) => {
    const socket = connect({ host, port }, () => resolve(true));
    socket.on("error", () => resolve(false));
    socket.setTimeout(3000, () => resolve(false));
  });
}

function write_config(name, seconds) {
  writeFileSync(join(folder, name), `[model]
command = ["/usr/bin/python3", ${JSON.stringify(join(here, "worker.py"))}, "${seconds}"]
[parameters]
a = { prior = "normal(0, 3)" }
b = { prior = "normal(0, 3)" }
[sampler]
method = "gp-mh"
chains = 2
warmup = 60
draws = 400
`);
}

test("the page follows a run to its end, and keeps scroll, focus and open parts", { timeout: 300000 }, async () => {
  write_config("slow.toml", 0.06);
  const run = start("run", "slow.toml", "--out", "slow", "--quiet");
  await until(() => existsSync(join(folder, "slow", "progress.json")), "the run begins");
  const { process: watch, address } = await watching("slow");
  const browser = await launch();
  try {
    const page = await browser.newPage();
    const troubles = [];
    page.on("console", (message) => troubles.push(message.text()));
    page.on("pageerror", (error) => troubles.push(String(error)));
    page.on("request", (asked) => { if (!asked.url().startsWith(address)) troubles.push(asked.url()); });
    await page.goto(address);
    await page.locator("#marginal-0").waitFor({ timeout: 120000 });
    assert.match(await page.locator("#verdict").textContent(), /In progress/);
    assert.match(await page.locator("#status").textContent(), /^In progress \(/);

    await page.locator("#settings summary").click();
    await page.locator("#marginal-0").focus();
    await page.evaluate(() => scrollTo(0, 600));
    const before = await page.locator(".tile dd").first().textContent();
    await until(async () => (await page.locator(".tile dd").first().textContent()) !== before, "more evaluations are shown");
    assert.equal(await page.evaluate(() => document.activeElement.id), "marginal-0");
    assert.equal(await page.evaluate(() => scrollY), 600);
    assert.ok(await page.locator("#settings details").evaluate((one) => one.open));
    await page.locator("#theme").click();
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");

    await run.ended;
    await until(async () => /The run has ended/.test(await page.locator("#status").textContent()), "the end is told");
    await until(async () => !/In progress/.test(await page.locator("#verdict").textContent()), "the last report is shown");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    assert.deepEqual(troubles, []);
  } finally {
    await browser.close();
  }
  watch.kill("SIGINT");
  assert.equal(await watch.ended, 0);
});

test("only browsers of this machine are answered, and only what they read", { timeout: 120000 }, async () => {
  write_config("short.toml", 0);
  await start("run", "short.toml", "--out", "short", "--quiet").ended;
  const { process: watch, port } = await watching("short");
  assert.equal(await ask(port, { path: "/" }), 200);
  assert.equal(await ask(port, { path: "/report.html" }), 200);
  assert.equal(await ask(port, { path: "/", headers: { Host: `localhost:${port}` } }), 200);
  for (const host of ["example.invalid", `example.invalid:${port}`, "127.0.0.1", `127.0.0.1.example.invalid:${port}`, `127.0.0.1:${port + 1}`])
    assert.equal(await ask(port, { path: "/report.html", headers: { Host: host } }), 403, host);
  for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "HEAD"]) assert.equal(await ask(port, { path: "/", method }), 405, method);
  for (const path of ["/config.toml", "/../short/config.toml", "/%2e%2e/config.toml", "//report.html", "/evaluations.sqlite"])
    assert.equal(await ask(port, { path }), 404, path);
  const others = Object.values(networkInterfaces()).flat().filter((one) => one.family === "IPv4" && !one.internal);
  for (const { address } of others) assert.equal(await reachable(address, port), false, address);
  watch.kill("SIGTERM");
  assert.equal(await watch.ended, 0);
});

test("connections that say nothing, or too much, keep nobody else waiting", { timeout: 120000 }, async () => {
  const { process: watch, port } = await watching("short");
  const idle = Array.from({ length: 20 }, () => connect({ host: "127.0.0.1", port }));
  idle.forEach((socket) => socket.on("error", () => {}));
  const flood = connect({ host: "127.0.0.1", port });
  flood.on("error", () => {});
  flood.write("GET / HTTP/1.1\r\nX: " + "x".repeat(100000));
  assert.equal(await ask(port, { path: "/status" }), 200);
  idle.forEach((socket) => socket.destroy());
  flood.destroy();
  watch.kill("SIGINT");
  assert.equal(await watch.ended, 0);
});
