// The page of a sweep in headless Chromium: what is dragged over is selected everywhere, a run that is clicked shows its
// numbers, its command and its motion.
//   node sweep.mjs PINION MODELS WORK
// WORK is where npm's packages are. Exit status 77: there is no Chromium.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pinion, models, work] = process.argv.slice(2).map((path) => resolve(path));
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath || !existsSync(join(work, "node_modules/playwright-core"))) {
    console.log(`skipped: ${browserPath ? "no playwright-core" : "no Chromium"} on this machine`);
    process.exit(77);
}
const { chromium } = createRequire(join(work, "package.json"))("playwright-core");

const RUNS = 52000; // more than are drawn
const folder = mkdtempSync(join(tmpdir(), "pinion-sweep-page-"));
let failures = 0;
function check(ok, what) {
    if (ok) return;
    failures++;
    console.error(`FAILED: ${what}`);
}

// The method is a coarse one: some runs fail, since their energies do not balance, and keep their motion.
function makePage() {
    writeFileSync(join(folder, "plan.json"), JSON.stringify({
        model: join(models, "planar-2r.json"), count: RUNS, seed: 5, trajectories: "failed",
        run: { duration: 0.01, step: 1e-3, integrator: "euler" },
        vary: [{ name: "load", what: "mass", of: "lower", normal: [1, 0.5] }, { name: "start", what: "v0", of: "elbow", uniform: [-1, 1] }],
        keep: [{ name: "speed", column: "v.elbow", take: "final" }],
    }));
    const call = (...args) => execFileSync(pinion, args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
    call("sweep", "plan.json", "-o", "r.h5", "--quiet");
    call("report", "r.h5", "-o", "r.html");
    return join(folder, "r.html");
}

const told = (page) => page.locator(".runs > .readout").first().textContent();
// Numbers of pixels with a colour of their own, which greys have not.
const coloured = (page, name) =>
    page.locator(name).first().evaluate((canvas) => {
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let count = 0;
        for (let k = 0; k < data.length; k += 4) if (data[k + 3] > 30 && Math.max(data[k], data[k + 1], data[k + 2]) - Math.min(data[k], data[k + 1], data[k + 2]) > 60) count++;
        return count;
    });

async function drag(page, name, from, to) {
    const canvas = page.locator(name).first();
    await canvas.scrollIntoViewIfNeeded();
    const box = await canvas.boundingBox();
    await page.mouse.move(box.x + from[0] * box.width, box.y + from[1] * box.height);
    await page.mouse.down();
    for (let i = 1; i <= 5; i++)
        await page.mouse.move(box.x + (from[0] + ((to[0] - from[0]) * i) / 5) * box.width, box.y + (from[1] + ((to[1] - from[1]) * i) / 5) * box.height);
    await page.mouse.up();
    await page.waitForTimeout(600);
}

async function testSelection(page) {
    check((await told(page)) === "50000 runs", `all that are drawn are selected: ${await told(page)}`);
    const points = await coloured(page, ".scatter-canvas");
    const lines = await coloured(page, ".parallel-canvas");
    check(points > 10000 && lines > 10000, `points and lines are drawn: ${points}, ${lines} pixels`);
    await drag(page, ".histogram-canvas", [0.45, 0.5], [0.55, 0.5]);
    const [some] = (await told(page)).match(/^\d+/) ?? [0];
    check(Number(some) > 5000 && Number(some) < 30000, `a part is selected: ${await told(page)}`);
    check((await coloured(page, ".scatter-canvas")) < points / 2, "points that are not selected are grey");
    await page.locator(".histogram-canvas").first().dblclick();
    await page.waitForTimeout(600);
    check((await told(page)) === "50000 runs", "a double click selects all");
    await drag(page, ".parallel-canvas", [0.034, 0.3], [0.034, 0.55]);
    check(/ of 50000 runs are selected$/.test(await told(page)), `an axis selects, too: ${await told(page)}`);
    await page.locator(".parallel-canvas").dblclick();
    await page.waitForTimeout(600);
    check(Math.abs((await coloured(page, ".scatter-canvas")) - points) < 0.01 * points, "and all are drawn again");
}

async function testChosen(page) {
    const row = page.locator("tr.clickable").first();
    const run = await row.locator("td").first().textContent();
    await row.click();
    const text = await page.locator(".chosen").innerText();
    check(text.includes(`Run ${run}`) && text.includes(`--only ${run} `), `a run that failed: ${text.slice(0, 200)}`);
    check(/energies do not balance/.test(text) && !/\.:/.test(text), `and why: ${text.slice(0, 300)}`);
    check((await page.locator(".chosen .canvas").count()) === 1 && !/not on this page/.test(text), "and its motion");
    check(/^0\.00\d* s$/m.test(text), `which ends when it failed: ${text.match(/^.* s$/m)}`);
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--headless", "--no-sandbox", "--disable-quic",
    "--no-first-run", "--disable-background-networking", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
try {
    const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 } })).newPage();
    const log = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && log.push(message.text()));
    page.on("pageerror", (error) => log.push(error.message));
    await page.goto(pathToFileURL(makePage()).href);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
    await page.waitForTimeout(600);
    await testSelection(page);
    await testChosen(page);
    check(log.length === 0, `the page is silent: ${log}`);
} catch (error) {
    check(false, error.stack);
}
await browser.close();
rmSync(folder, { recursive: true });
console.log(failures ? `${failures} checks failed` : "all checks passed");
process.exit(failures ? 1 : 0);
