// Opens reports in a real browser: `node check.mjs FOLDER CHROMIUM`, with the packages of
// package-lock.json beside it. Every .html file of the folder is opened at three sizes, light and
// dark. There must be no error, no request, no horizontal scroll, no text cut off in a chart and
// nothing that axe-core objects to; tables must sort by a click; without scripts and on paper the
// same must be there. Screenshots are left in FOLDER/screenshots.
import { chromium } from "playwright-core";
import { mkdirSync, readdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const folder = resolve(process.argv[2]);
const pictures = join(folder, "screenshots");

const SIZES = [
  { name: "phone", width: 360, height: 740 },
  { name: "tablet", width: 820, height: 1100 },
  { name: "desk", width: 1440, height: 900 },
];
const ARGUMENTS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update",
];
const MOST_BYTES = 10_000_000;
// A page with more elements than this is slow to open on a phone.
const MOST_ELEMENTS = 40_000;
const PATIENCE = 60_000;
const PAPER = { top: "15mm", bottom: "15mm", left: "15mm", right: "15mm" };

const wrong = [];
// Each launch has an empty profile of its own below the folder for temporary files.
const browser = await chromium.launch({ executablePath: process.argv[3], args: ARGUMENTS });

// Opens a page that may ask for nothing and complain of nothing.
async function open(url, say, settings) {
  const context = await browser.newContext(settings);
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") say(`complains: ${message.text()}`);
  });
  page.on("pageerror", (error) => say(`fails: ${error.message}`));
  page.on("dialog", (dialog) => { say(`asks: ${dialog.message()}`); dialog.dismiss(); });
  page.on("request", (request) => {
    if (request.url() !== url && !request.url().startsWith("data:")) say(`asks for ${request.url()}`);
  });
  await page.goto(url);
  return { page, close: () => context.close() };
}

// What cannot be read: what is wider than the page, and what is cut off at the edge of a chart.
function cutOff() {
  const found = [];
  const wide = document.documentElement.scrollWidth;
  if (wide > window.innerWidth) found.push(`scrolls sideways: ${wide} of ${window.innerWidth} pixels`);
  for (const text of document.querySelectorAll("svg text")) {
    const [inner, outer] = [text, text.ownerSVGElement].map((one) => one.getBoundingClientRect());
    const beyond = Math.max(outer.left - inner.left, inner.right - outer.right,
      outer.top - inner.top, inner.bottom - outer.bottom);
    if (beyond > 2) found.push(`a chart cuts off «${text.textContent.slice(0, 60)}» by ${beyond.toFixed(0)} pixels`);
  }
  return found;
}

// Names of tables that do not sort by a click on a head, first up and then down.
function unsorted() {
  const found = [];
  for (const table of document.querySelectorAll("table")) {
    if (table.tBodies[0].rows.length < 2) continue;
    for (const [at, head] of [...table.tHead.rows[0].cells].entries()) {
      for (const order of ["ascending", "descending"]) {
        head.querySelector("button").click();
        const cells = [...table.tBodies[0].rows].map((row) => row.cells[at]);
        const numbers = cells.map((cell) => cell.dataset.value).filter((x) => x !== undefined).map(Number);
        const texts = cells.map((cell) => cell.textContent);
        const sign = order === "ascending" ? 1 : -1;
        const compared = numbers.length > 0
          ? numbers.map((x, i) => (i === 0 ? 0 : x - numbers[i - 1]))
          : texts.map((x, i) => (i === 0 ? 0 : x.localeCompare(texts[i - 1], undefined, { numeric: true })));
        if (head.getAttribute("aria-sort") !== order || compared.some((step) => sign * step < 0)) {
          found.push(`«${table.caption.textContent}» does not sort by «${head.textContent}», ${order}`);
        }
      }
    }
  }
  return found;
}

async function check(file) {
  const [path, name] = [join(folder, file), file.slice(0, -".html".length)];
  const url = pathToFileURL(path).href;
  const bytes = statSync(path).size;
  if (bytes > MOST_BYTES) wrong.push(`${file}: ${bytes} bytes`);
  let where = "opened";
  const say = (what) => wrong.push(`${file}, ${where}: ${what}`);
  const { page, close } = await open(url, say, {});
  const elements = await page.evaluate(() => document.querySelectorAll("*").length);
  if (elements > MOST_ELEMENTS) say(`has ${elements} elements`);
  const said = await page.evaluate(() => document.body.innerText);
  for (const { name: size, width, height } of SIZES) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ["light", "dark"]) {
      where = `${size}, ${colorScheme}`;
      await page.emulateMedia({ colorScheme });
      (await page.evaluate(cutOff)).forEach(say);
      await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`), fullPage: true });
      // By the debugger's way in, which the page's policy for scripts leaves open.
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run());
      for (const { id, help, nodes } of violations) {
        say(`${id}: ${help}, at ${nodes.length} places, first ${nodes[0].html.slice(0, 200)}`);
      }
    }
  }
  where = "on paper";
  await page.setViewportSize({ width: 680, height: 970 });
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  (await page.evaluate(cutOff)).forEach(say);
  await page.pdf({ path: join(pictures, `${name}.pdf`), format: "A4", margin: PAPER });
  where = "sorted";
  await page.emulateMedia({ media: "screen" });
  (await page.evaluate(unsorted)).forEach(say);
  await close();
  where = "without scripts";
  const without = await open(url, say, { javaScriptEnabled: false });
  if ((await without.page.locator("body").innerText()) !== said) say("says something else than with them");
  await without.close();
}

let files = [];
try {
  mkdirSync(pictures, { recursive: true });
  const chosen = process.argv.slice(4);
  files = readdirSync(folder).filter((name) => name.endsWith(".html")).sort();
  if (chosen.length > 0) files = files.filter((name) => chosen.includes(name));
  if (files.length === 0) wrong.push("there is no report to open");
  for (const file of files) await check(file);
} finally {
  await browser.close();
}
for (const what of wrong) console.error(what);
console.log(`${files.length} reports, ${SIZES.length} sizes, light and dark: ${wrong.length} faults`);
process.exit(wrong.length === 0 ? 0 : 1);
