// A picture of a report for the documentation. Usage: node screenshot.mjs REPORT.html PICTURE.png
import { pathToFileURL } from "node:url";
import { launch } from "./browser.mjs";

const [report, picture] = process.argv.slice(2);
const browser = await launch();
const page = await browser.newPage({ viewport: { width: 1180, height: 1360 }, colorScheme: "light" });
await page.goto(pathToFileURL(report).href);
const end = await page.locator("#marginals").evaluate((section) => section.getBoundingClientRect().bottom + scrollY);
await page.screenshot({ path: picture, fullPage: true, clip: { x: 0, y: 0, width: 1180, height: end + 24 } });
await browser.close();
