// Opens reports in a real browser: `node report.mjs FOLDER CHROMIUM`, with playwright-core and
// axe-core in node_modules above the working directory. Every .html file of the folder is opened at
// three sizes, light and dark; there must be no error, no request, no horizontal scroll and nothing
// that axe-core objects to, and tables must sort. Screenshots are left beside the files.
import { createRequire } from "node:module";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const require = createRequire(join(process.cwd(), "here.js"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const [folder, executablePath] = [resolve(process.argv[2]), process.argv[3]];

const SIZES = [
  { name: "phone", width: 360, height: 740, colorScheme: "dark" },
  { name: "tablet", width: 820, height: 1100, colorScheme: "light" },
  { name: "desk", width: 1440, height: 900, colorScheme: "light" },
];
const ARGUMENTS = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update",
];

const wrong = [];
const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
const files = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
if (files.length === 0) wrong.push("there is no report to open");
for (const file of files) {
  const url = pathToFileURL(join(folder, file)).href;
  for (const { name, width, height, colorScheme } of SIZES) {
    const say = (what) => wrong.push(`${file}, ${name}: ${what}`);
    // The page's own policy forbids the script of axe-core; everything else is watched with it on.
    for (const bypassCSP of [false, true]) {
      const context = await browser.newContext({ viewport: { width, height }, colorScheme, bypassCSP });
      const page = await context.newPage();
      page.on("console", (message) => message.type() === "error" && say(message.text()));
      page.on("pageerror", (error) => say(error.message));
      page.on("request", (request) => {
        if (request.url() !== url && !request.url().startsWith("data:")) say(`asks for ${request.url()}`);
      });
      await page.goto(url);
      if (bypassCSP) {
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run());
        for (const { id, help, nodes } of found.violations) {
          say(`${id}: ${help}, at ${nodes.length} places, first ${nodes[0].html.slice(0, 200)}`);
        }
      } else {
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        if (wide > width) say(`scrolls sideways: ${wide} pixels`);
        const unsorted = await page.evaluate(() => {
          const tables = [...document.querySelectorAll("table")];
          const numbers = (table, at) =>
            [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.value).map(Number);
          for (const table of tables.filter((table) => table.tBodies[0].rows.length > 1)) {
            for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
              for (const order of ["ascending", "descending"]) {
                head.querySelector("button").click();
                const all = numbers(table, at).filter((x) => !Number.isNaN(x));
                const sign = order === "ascending" ? 1 : -1;
                const sorted = all.every((x, i) => i === 0 || sign * (x - all[i - 1]) >= 0);
                if (!sorted || head.getAttribute("aria-sort") !== order) return table.caption.textContent;
              }
            }
          }
          return "";
        });
        if (unsorted) say(`does not sort: ${unsorted}`);
        await page.reload();
        const path = join(folder, `${file.slice(0, -5)}-${name}.png`);
        await page.screenshot({ path, fullPage: true });
      }
      await context.close();
    }
  }
}
await browser.close();
for (const what of wrong) console.error(what);
console.log(`${files.length} reports at ${SIZES.length} sizes: ${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
