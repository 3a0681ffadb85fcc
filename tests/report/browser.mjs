// Opens the pages in headless Chromium and does what a person would: looks, plays, scrubs, turns, zooms.
//   node browser.mjs PAGES WORK
// WORK is where npm's packages are. Exit status 77: there is no Chromium.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pages, work] = process.argv.slice(2).map((path) => resolve(path));
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath || !existsSync(join(work, "node_modules/playwright-core"))) {
    console.log(`skipped: ${browserPath ? "no playwright-core" : "no Chromium"} on this machine`);
    process.exit(77);
}
const { chromium } = createRequire(join(work, "package.json"))("playwright-core");

const quiet = ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync"];
const software = ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"];
const none = ["--disable-gpu", "--disable-3d-apis"];

let failures = 0;
function check(ok, what) {
    if (ok) return;
    failures++;
    console.error(`FAILED: ${what}`);
}

// The same for what a slow machine needs a moment to do.
async function soon(test, what) {
    for (let i = 0; i < 60; i++) {
        if (await test()) return;
        await new Promise((done) => setTimeout(done, 100));
    }
    check(false, what);
}

// A page with a record of all that it says and asks for.
async function open(browser, name, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    const log = [];
    page.on("console", (message) => ["error", "warning"].includes(message.type()) && log.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => log.push(`exception: ${error.message}`));
    page.on("dialog", (dialog) => {
        log.push(`dialog: ${dialog.message()}`);
        dialog.dismiss();
    });
    const requests = [];
    const own = pathToFileURL(join(pages, name)).href;
    page.on("request", (request) => {
        const url = request.url();
        if (url !== own && !url.startsWith("data:")) requests.push(url);
    });
    await page.goto(own);
    await page.waitForFunction(() => document.documentElement.dataset.ready === "true");
    await page.waitForTimeout(400);
    const close = async () => {
        check(log.length === 0, `${name} is silent:\n  ${log.join("\n  ")}`);
        check(requests.length === 0, `${name} asks for nothing: ${requests}`);
        await context.close();
    };
    return { page, close };
}

const time = (page) => page.locator(".time").first().textContent().then((text) => parseFloat(text.replace("−", "-")));

// Plots are drawn when they come into sight: brings each there, and waits until nothing moves.
async function drawAll(page) {
    for (const item of await page.locator(".figure, .plot").all()) await item.scrollIntoViewIfNeeded();
    await page.waitForTimeout(400);
}

const choiceOf = (page, label) => page.locator(".choice", { hasText: label }).locator("select");
const picture = (page) => page.locator(".canvas").first().screenshot();

// How many different colours a picture has, by letting the browser decode it.
function colors(page, png) {
    return page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = image.width;
        canvas.height = image.height;
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const { data: pixels } = context.getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set();
        for (let i = 0; i < pixels.length; i += 4) seen.add((pixels[i] << 16) | (pixels[i + 1] << 8) | pixels[i + 2]);
        return seen.size;
    }, png.toString("base64"));
}

// Where two pictures differ by more than `least` in the sum of their colours: the part of the pixels, and between which
// columns and rows, [left, top, right, bottom].
function compared(page, one, other, least) {
    return page.evaluate(async ([pngs, limit]) => {
        const read = async (data) => {
            const image = new Image();
            image.src = `data:image/png;base64,${data}`;
            await image.decode();
            const canvas = document.createElement("canvas");
            canvas.width = image.width;
            canvas.height = image.height;
            const context = canvas.getContext("2d");
            context.drawImage(image, 0, 0);
            return context.getImageData(0, 0, canvas.width, canvas.height);
        };
        const [{ data: a, width }, { data: b }] = [await read(pngs[0]), await read(pngs[1])];
        const box = [Infinity, Infinity, -Infinity, -Infinity];
        let count = 0;
        for (let i = 0; i < a.length; i += 4) {
            if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) <= limit) continue;
            const [x, y] = [(i / 4) % width, Math.floor(i / 4 / width)];
            [box[0], box[1], box[2], box[3]] = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)];
            count++;
        }
        return { part: count / (a.length / 4), box };
    }, [[one.toString("base64"), other.toString("base64")], least]);
}

// Alike but for how colours were rounded, each by one step: that differs from one drawing of the same to the next.
async function same(page, one, other) {
    return one.equals(other) || (await compared(page, one, other, 3)).part === 0;
}

// The picture once it no longer changes.
async function settled(page) {
    let last = null;
    await soon(async () => {
        const now = await picture(page);
        const still = last !== null && (await same(page, now, last));
        last = now;
        return still && (await colors(page, now)) > 500;
    }, "the robot is drawn and stands still");
    return last;
}

async function testRendering(browser) {
    const { page, close } = await open(browser, "robot.html");
    check((await page.title()) === "The Stanford arm", "the title is the result's");
    await settled(page);
    const plots = await page.locator(".plot h3").allTextContents();
    for (const title of ["Positions", "Displacements", "Joint torques", "Energies", "Energy drift"])
        check(plots.includes(title), `there is a plot ${title} among ${plots}`);
    check((await page.locator(".uplot canvas").count()) >= 2, "plots in sight are drawn");
    check((await page.locator(".settings tr").count()) >= 4, "the settings are listed");
    const settings = await page.locator(".settings").textContent();
    check(settings.includes("dopri5") && settings.includes("model hash"), "the settings are the result's");
    check((await page.locator(".events li").count()) === 2, "the events are listed");
    check((await page.locator(".note").count()) === 0, "there is nothing to note");
    await close();
}

async function testPlayback(browser) {
    const { page, close } = await open(browser, "robot.html");
    const before = await settled(page);
    await page.locator(".play").click();
    await soon(async () => (await time(page)) > 0, "the time moves on after play");
    const early = await time(page);
    await soon(async () => (await time(page)) > early, "and goes on");
    await page.locator("h1").click();
    await page.keyboard.press("Space");
    const paused = await time(page);
    await page.waitForTimeout(300);
    check((await time(page)) === paused, "space pauses");
    await soon(async () => !(await same(page, await picture(page), before)), "the robot has moved");

    // keys
    await page.keyboard.press("Home");
    check((await time(page)) === 0, "Home is the start");
    await page.keyboard.press("ArrowRight");
    check(Math.abs((await time(page)) - 0.06) < 1e-6, "an arrow is a hundredth");
    await page.keyboard.press("End");
    check((await time(page)) === 6, "End is the end");

    // the slider, also from the keyboard once
    await page.locator(".slider").first().evaluate((slider) => {
        slider.value = 3;
        slider.dispatchEvent(new Event("input"));
    });
    check((await time(page)) === 3, "the slider sets the time");
    await page.locator(".slider").first().focus();
    await page.keyboard.press("ArrowLeft");
    check(Math.abs((await time(page)) - 2.94) < 1e-6, "an arrow on the slider is one step, not two");

    // to the end, and then it stops
    await page.locator(".choice select").first().selectOption("10");
    await page.locator(".play").click();
    await page.waitForFunction(() => document.querySelector(".play").dataset.state === "paused", null, { timeout: 20000 });
    check((await time(page)) === 6, "playback ends at the end");
    await close();
}

async function testView(browser) {
    const { page, close } = await open(browser, "robot.html");
    const canvas = page.locator(".canvas").first();
    const box = await canvas.boundingBox();
    const start = await settled(page);
    const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.8];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 150, y - 40, { steps: 4 });
    await page.mouse.up();
    await page.mouse.move(5, 5);
    await soon(async () => !(await same(page, await picture(page), start)), "dragging turns the view");
    const turned = await picture(page);
    await page.mouse.move(x, y);
    await page.mouse.wheel(0, -400);
    await page.mouse.move(5, 5);
    await soon(async () => !(await same(page, await picture(page), turned)), "the wheel zooms");
    await page.locator(".reset").click();
    await page.mouse.move(5, 5);
    await soon(async () => same(page, await picture(page), start), "reset brings the first view back");

    // each switch changes the picture, and changes it back
    for (const name of ["Frames", "Joint axes", "Centre of mass", "Ground"]) {
        const was = await picture(page);
        await page.getByLabel(name).click();
        await soon(async () => !(await same(page, await picture(page), was)), `${name} shows or hides something`);
        await page.getByLabel(name).click();
        await soon(async () => same(page, await picture(page), was), `${name} can be undone`);
    }
    const trace = page.getByLabel("Trace");
    check((await trace.inputValue()) !== "-1", "the end of an arm is traced at first");
    const traced = await picture(page);
    await trace.selectOption("-1");
    await soon(async () => !(await same(page, await picture(page), traced)), "the trace can be taken off");
    await close();
}

// A crate that slides: the force at its centre of pressure, on the border of the cone, and four points around it.
async function testContacts(browser) {
    const { page, close } = await open(browser, "crate.html");
    const { pairs, values, dots, starts } = await page.evaluate(() => {
        const { sections } = JSON.parse(document.getElementById("document").textContent);
        const contacts = sections.flatMap((section) => section.items).find((item) => item.contacts).contacts;
        const floats = (packed) => [...new Float32Array(Uint8Array.from(atob(packed.f32), (c) => c.charCodeAt(0)).buffer)];
        return { pairs: contacts.pairs, values: floats(contacts.values), dots: floats(contacts.dots), starts: floats(contacts.starts) };
    });
    check(pairs.length === 1 && pairs[0].name === "ground.box" && pairs[0].outside && Math.abs(pairs[0].friction - 0.3) < 1e-9, "the pair");
    check(starts[1] === 4 && dots.slice(0, 16).every((x, i) => Math.abs(Math.abs(x) - [0.15, 0.1, 0, 0][i % 4]) < 1e-6), "it stands on its corners");
    const weight = 2 * 9.81;
    const expected = [0.3 * 0.05, 0, 0, -0.3 * weight, 0, weight, 0, 0, 1]; // point, force, normal: sliding
    check(expected.every((x, i) => Math.abs(values[i] - x) < 1e-4 * weight), `force and centre of pressure: ${values.slice(0, 9)}`);
    for (const name of ["Contact forces", "Friction cones", "Support polygon"]) {
        const was = await settled(page);
        await page.getByRole("checkbox", { name }).click();
        await soon(async () => !(await same(page, await picture(page), was)), `${name} shows or hides something`);
        await page.getByRole("checkbox", { name }).click();
        await soon(async () => same(page, await picture(page), was), `${name} can be undone`);
    }
    const plots = await page.locator(".plot h3").allTextContents();
    check(plots.includes("Contact forces along z") && plots.includes("Centres of pressure, x"), `contact has plots: ${plots}`);
    await page.locator("h1").click();
    await page.keyboard.press("End");
    check((await time(page)) > 0.49, "it plays to the end");
    await close();
}

const floatsOf = (packed) => [...new Float32Array(Uint8Array.from(Buffer.from(packed.f32, "base64")).buffer)];
const playbackOf = (page) => page.evaluate(() => JSON.parse(document.getElementById("document").textContent).sections.flatMap((s) => s.items).find((i) => i.poses));

async function goTo(page, t) {
    await page.locator(".slider").first().evaluate((slider, value) => {
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
    }, t);
}

// Position and quaternion x, y, z, w: a after b.
function chained(a, b) {
    const [x, y, z, w] = a.slice(3);
    const turned = (v) => {
        const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
        return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
    };
    return turned(b).map((v, i) => v + a[i]);
}

// Links that bend: what is attached to them sits on them at all times, and a beam that is clamped to the world is drawn
// bent, as far as its end has moved.
async function testBent(browser) {
    const { page, close } = await open(browser, "bent.html");
    const item = await playbackOf(page);
    const { list } = item.elastic;
    const [poses, knots] = [floatsOf(item.poses), floatsOf(item.elastic.values)];
    const width = list.reduce((sum, link) => sum + link.rest.length, 0);
    const body = (name) => item.bodies.findIndex((b) => b.name === name);
    const poseOf = (i, name) => poses.slice(7 * (i * (item.bodies.length - 1) + body(name) - 1), 7 * (i * (item.bodies.length - 1) + body(name)));
    check(list.length === 3 && list[0].body === 0 && list[1].body === body("whip") && list[1].rest.length === 21, "three links bend");
    check(list[0].nodes === false && list[1].nodes === true, "a beam and shapes");
    const last = list[0].rest.length - 7;
    check(Math.abs(list[0].rest[last] - 1) < 1e-9 && Math.abs(list[0].rest[last + 2] - 0.5) < 1e-9, "the beam's end at rest");
    let most = 0;
    let bow = 0;
    for (let i = 0; i < poses.length / 7 / (item.bodies.length - 1); i++) {
        const at = (k) => knots.slice(i * width + k, i * width + k + 7);
        const tip = at(last);
        const end = chained(poseOf(i, "whip"), at(list[0].rest.length + 14));
        const slider = poseOf(i, "slider");
        poseOf(i, "whip").slice(0, 3).forEach((x, k) => (most = Math.max(most, Math.abs(x - tip[k]))));
        most = Math.max(most, Math.abs(chained(poseOf(i, "whip"), [0, 0, 0])[0] - tip[0]));
        // the slider is on the end of the whip, along its z there
        const way = end.map((x, k) => slider[k] - x);
        const z = chained([0, 0, 0, ...slider.slice(3)], [0, 0, 1]);
        const along = way.reduce((sum, x, k) => sum + x * z[k], 0);
        way.forEach((x, k) => (most = Math.max(most, Math.abs(x - along * z[k]))));
        bow = Math.max(bow, Math.abs(tip[2] - 0.5));
    }
    check(most < 1e-5, `what is attached is where the link is: ${most}`);
    check(bow > 0.1, `it bends: ${bow}`);

    // the beam alone, where its end is highest and lowest
    await page.getByLabel("Trace").selectOption("-1");
    await page.getByLabel("Ground").click();
    for (const link of item.bodies.keys()) {
        await choiceOf(page, /^Links/).selectOption(String(link));
        if (link) await choiceOf(page, /^look/).selectOption("hidden");
    }
    const seen = async (t) => {
        await goTo(page, t);
        await choiceOf(page, /^Links/).selectOption("0");
        await choiceOf(page, /^look/).selectOption("solid");
        await page.waitForTimeout(300);
        const there = await picture(page);
        await choiceOf(page, /^look/).selectOption("hidden");
        await page.waitForTimeout(300);
        return (await compared(page, there, await picture(page), 40)).box;
    };
    const tips = knots.filter((_, i) => i % width === last + 2);
    const [high, low] = [Math.max(...tips), Math.min(...tips)];
    const [above, below] = [await seen((4 * tips.indexOf(high)) / 100), await seen((4 * tips.indexOf(low)) / 100)];
    // it is 1 m long across the picture, so a pixel is a length; it is 0.02 m thick, and seen a bit from above
    const far = (below[3] - above[1]) / (above[2] - above[0]);
    check(Math.abs(far / (high - low + 0.03) - 1) < 0.15, `the beam's end moves by ${far} m in the picture, by ${high - low} m`);
    await close();
}

// Arrows of thrusters are as long as their forces say, and turn round with them.
async function testThrusters(browser) {
    const { page, close } = await open(browser, "jet.html");
    await page.getByLabel("Ground").click();
    const box = page.getByLabel("Thrusters");
    const arrow = async (t) => {
        await goTo(page, t);
        await page.waitForTimeout(300);
        const there = await picture(page);
        await box.click();
        await page.waitForTimeout(300);
        const [, top, , bottom] = (await compared(page, there, await picture(page), 40)).box;
        await box.click();
        return [top, bottom];
    };
    const [full, half, back] = [await arrow(0), await arrow(1), await arrow(2)];
    const length = ([top, bottom]) => bottom - top;
    check(length(full) > 40, `an arrow is there: ${full}`);
    check(Math.abs(length(half) / length(full) - 0.5) < 0.05, `half the force is half as long: ${length(full)}, ${length(half)}`);
    check(Math.abs(length(back) / length(full) - 0.25) < 0.05, `a quarter the other way: ${length(back)}`);
    check(Math.abs(full[1] - half[1]) <= 2 && back[0] >= full[1] - 3, `they begin at the frame: ${full}, ${half}, ${back}`);
    await close();
}

// Links are seen through or taken away, all of them or one, and come back.
async function testLinks(browser) {
    const { page, close } = await open(browser, "robot.html");
    const links = choiceOf(page, /^Links/);
    const look = choiceOf(page, /^look/);
    const solid = await settled(page);
    let last = solid;
    for (const link of ["-1", "2"]) {
        await links.selectOption(link);
        for (const way of ["translucent", "hidden"]) {
            await look.selectOption(way);
            await soon(async () => !(await same(page, await picture(page), last)), `links ${link} can be ${way}`);
            last = await picture(page);
        }
        await links.selectOption("0");
        check((await look.inputValue()) === (link === "-1" ? "hidden" : "solid"), "each link keeps its own look");
        await links.selectOption(link);
        await look.selectOption("solid");
        await soon(async () => same(page, await picture(page), solid), `links ${link} come back`);
        last = solid;
    }
    await close();
}

// What carries several joints of the world does not hide what moves on it: it takes a small part of the picture.
async function testBase(browser) {
    const { page, close } = await open(browser, "delta.json.html");
    await page.getByLabel("Joints and links").click();
    await page.getByLabel("Ground").click();
    await page.mouse.move(5, 5);
    const whole = await settled(page);
    await choiceOf(page, /^Links/).selectOption("0");
    await choiceOf(page, /^look/).selectOption("hidden");
    await soon(async () => !(await same(page, await picture(page), whole)), "the base can be hidden");
    const { part } = await compared(page, whole, await picture(page), 12);
    check(part > 0.001 && part < 0.005, `the base takes ${part} of the picture`);
    await close();
}

// A page says that it loads, or why it cannot be shown.
async function testLoading(browser) {
    const loading = await browser.newContext({ javaScriptEnabled: false });
    const still = await loading.newPage();
    await still.goto(pathToFileURL(join(pages, "robot.html")).href);
    check((await still.locator("main").textContent()).includes("This report is loading"), "a page says that it loads");
    await loading.close();
    const { page, close } = await open(browser, "robot.html");
    check(!(await page.locator("main").textContent()).includes("is loading"), "and no longer when it is there");
    await close();

    const broken = await browser.newContext();
    const cut = await broken.newPage();
    const text = readFileSync(join(pages, "robot.html"), "utf8").replace('id="document">{', 'id="document">');
    await cut.setContent(text);
    await soon(async () => (await cut.locator("main").textContent()).includes("This report cannot be shown: "), "a broken page says so");
    await broken.close();
}

async function testPlots(browser) {
    const { page, close } = await open(browser, "robot.html");
    const over = page.locator(".plot .u-over").first();
    const box = await over.boundingBox();
    const marker = () => page.locator(".time-line").evaluateAll((lines) => lines.map((line) => line.style.transform));
    const value = (plot, row) => page.locator(".plot .u-legend").nth(plot).locator(".u-value").nth(row).textContent();

    // a click moves playback and all the time lines
    const before = await settled(page);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    await soon(async () => Math.abs((await time(page)) - 3) < 0.03, "a click in the middle is the middle");
    const lines = await marker();
    check(lines.length >= 2 && new Set(lines).size === 1 && lines[0] !== "translateX(0px)", `time lines agree: ${lines}`);
    await soon(async () => !(await same(page, await picture(page), before)), "the robot follows");

    // the cursor is shared, and the legend has what is under it with its unit
    await page.mouse.move(box.x + box.width / 4, box.y + box.height / 2);
    await soon(async () => Math.abs(parseFloat(await value(0, 0)) - 1.5) < 0.03, "the legend has the time under the cursor");
    await soon(async () => (await value(0, 0)) === (await value(1, 0)), "the cursor of another plot follows");
    check(/rad$/.test(await value(0, 1)) && /m$/.test(await value(1, 1)), "values have units");

    // what is under the cursor is what the result says: q.joint1 = 0.6 sin(2 pi t / 4)
    const t = parseFloat(await value(0, 0));
    const q = parseFloat((await value(0, 1)).replace("−", "-"));
    check(Math.abs(q - 0.6 * Math.sin((Math.PI * t) / 2)) < 1e-5, `the value is right: ${q} at ${t}`);

    // without the cursor the legend shows the time of the playback
    await page.mouse.move(5, 5);
    await soon(async () => Math.abs(parseFloat(await value(0, 0)) - 3) < 0.03, "the legend returns to the playback's time");

    // dragging the time line scrubs
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 3, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    check(Math.abs((await time(page)) - 2) < 0.05, `dragging the time line moves the time: ${await time(page)}`);

    // dragging elsewhere zooms all plots, double click shows all again
    const axis = () => page.evaluate(() => [...document.querySelectorAll(".time-line")].map((line) => parseFloat(line.style.transform.slice(11))));
    const wide = await axis();
    await page.mouse.move(box.x + box.width * 0.15, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.65, box.y + box.height / 2, { steps: 5 });
    await page.mouse.up();
    const expected = ((2 / 6 - 0.15) / 0.5) * box.width;
    await soon(async () => (await axis()).every((x) => Math.abs(x - expected) < 4), `zoom stretches all plots to ${expected}`);
    await page.mouse.dblclick(box.x + box.width * 0.9, box.y + box.height / 2);
    await page.keyboard.press("Home");
    await soon(async () => wide[0] > 1 && (await axis()).every((x) => Math.abs(x) < 1), "a double click shows all again");

    // the legend hides a curve
    const label = page.locator(".plot .u-legend .u-series").nth(1);
    await label.locator("th").click();
    check((await label.getAttribute("class")).includes("u-off"), "a click in the legend hides a curve");

    // an event's button goes there, once the plots above it are drawn and it stands still
    await drawAll(page);
    await page.locator(".events .link").first().click();
    await soon(async () => Math.abs((await time(page)) - 1.5) < 1e-6, "an event can be gone to");
    await close();
}

async function testStudy(browser) {
    const { page, close } = await open(browser, "study.html");
    await drawAll(page);
    check((await page.locator(".figure .uplot").count()) === 3, "figures are drawn");
    check((await page.locator(".playback").count()) === 2, "two robots play");
    check((await page.locator(".table caption").first().textContent()).startsWith("Table 1"), "the table has its caption");
    check((await page.locator(".table td.right").count()) === 4, "numbers stand at the right");
    for (let i = 0; i < 3; i++) {
        const chart = page.locator(".figure .uplot canvas").nth(i);
        await chart.scrollIntoViewIfNeeded();
        check((await colors(page, await chart.screenshot())) > 10, `figure ${i + 1} is not blank`);
    }
    // sections keep their own time
    const sliders = page.locator(".slider");
    await sliders.nth(1).evaluate((slider) => {
        slider.value = 2;
        slider.dispatchEvent(new Event("input"));
    });
    const times = await page.locator(".time").allTextContents();
    check(parseFloat(times[0]) === 0 && parseFloat(times[1]) === 2, `each section has its own time: ${times}`);
    await close();
}

async function testHostile(browser) {
    const { page, close } = await open(browser, "hostile.html");
    await drawAll(page);
    const canvas = await page.locator(".canvas").first().boundingBox();
    await page.locator("h1").scrollIntoViewIfNeeded();
    for (let i = 1; i < 10; i++) await page.mouse.move(canvas.x + (canvas.width * i) / 10, canvas.y + canvas.height / 2);
    await page.waitForTimeout(300);
    check((await page.evaluate(() => window.hostile)) === undefined, "no name has run");
    check((await page.locator("img").count()) === 0, "no name has become an element");
    check((await page.locator("script").count()) === 2, "there are two scripts: the document and the page's own");
    check((await page.locator("h1").textContent()).includes("</script><img"), "the name is shown as it is");
    check((await page.locator("option").allTextContents()).some((text) => text.includes("onerror")), "so are frames");
    const settings = await page.locator(".settings").textContent();
    check(settings.includes("\ufffd") && settings.includes("\u2028"), "text that is not UTF-8 is marked, line separators survive");
    await close();
}

async function testMeshes(browser) {
    const found = await open(browser, "meshes.html");
    check((await found.page.locator(".note").count()) === 0, "all meshes are found and read");
    const shapes = await picture(found.page);
    await found.page.getByLabel("Joints and links").click();
    await soon(async () => !(await same(found.page, await picture(found.page), shapes)), "meshes and the drawn form differ");
    await found.close();

    const lost = await open(browser, "lost.html");
    check(/The mesh file .* could not be found \(and 3 more\)/.test(await lost.page.locator(".note").textContent()),
        "it says that meshes are missing");
    await settled(lost.page);
    await lost.close();
}

async function testBare(browser) {
    const { page, close } = await open(browser, "bare.html");
    const notes = (await page.locator(".note").allTextContents()).join("\n");
    check(notes.includes("does not hold its model"), "it says why there is no playback");
    check(/one of 2 rows out of 30000/.test(notes), `it says that rows are left out: ${notes}`);
    check((await page.locator(".plot .uplot").count()) === 1, "the plot is there all the same");
    await page.locator(".plot .u-over").first().click();
    await close();
}

// Targets beside what they are targets of, and limits as dotted lines, of the model that the result holds.
async function testTracked(browser) {
    const { page, close } = await open(browser, "tracked.html");
    const titles = await page.locator(".plot h3").allTextContents();
    for (const title of ["Positions", "Tracking errors", "Tracking errors of velocities"])
        check(titles.includes(title), `there is a plot ${title} among ${titles}`);
    const legend = page.locator(".plot .u-legend").first();
    check(/target\.q\.hinge/.test(await legend.textContent()), "the target is in the plot of positions");
    const markers = await legend.locator(".u-marker").evaluateAll((list) => list.map((x) => x.style.borderTop));
    const color = (marker) => marker.replace(/^.*?rgb/, "rgb");
    check(markers[1].includes("solid") && markers[2].includes("dashed") && color(markers[1]) === color(markers[2]),
        `the target is dashed and of one colour with it: ${markers}`);
    check((await page.locator(".plots .hint").first().textContent()).includes("limits"), "it says what dotted lines are");
    // rows of pixels in which a colour comes and goes many times: the two limits
    const dotted = await page.locator(".plot canvas").first().evaluate((canvas) => {
        const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let rows = 0;
        for (let y = 0; y < height; y++) {
            let changes = 0;
            for (let x = 1; x < width; x++) {
                const at = 4 * (y * width + x);
                changes += Math.abs(data[at + 3] - data[at - 1]) > 100;
            }
            rows += changes > width / 4;
        }
        return rows;
    });
    check(dotted >= 2 && dotted <= 4, `two limits are drawn, in ${dotted} rows of pixels`);
    await close();
}

async function testLooks(browser) {
    const dark = await open(browser, "robot.html", { colorScheme: "dark" });
    const shade = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number).reduce((a, b) => a + b));
    check((await shade(dark.page)) < 200, "dark where people prefer it");
    await dark.page.emulateMedia({ colorScheme: "light" });
    await dark.page.waitForTimeout(200);
    check((await shade(dark.page)) > 600, "and light when that changes");
    await dark.close();

    const narrow = await open(browser, "robot.html", { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
    const overflow = await narrow.page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    check(overflow <= 0, `nothing sticks out of a telephone: ${overflow} px`);
    const plot = narrow.page.locator(".plot .u-over").first();
    await plot.scrollIntoViewIfNeeded();
    await plot.tap();
    check(Math.abs((await time(narrow.page)) - 3) < 0.1, `a tap moves the time: ${await time(narrow.page)}`);
    await narrow.close();

    const paper = await open(browser, "robot.html", { colorScheme: "dark" });
    await paper.page.emulateMedia({ media: "print" });
    check(await paper.page.locator(".slider").first().isHidden(), "no buttons on paper");
    const pdf = await paper.page.pdf();
    check(pdf.length > 50000, "it prints");
    await paper.close();
}

async function testWithoutWebGL() {
    const browser = await chromium.launch({ executablePath: browserPath, args: [...quiet, ...none] });
    const { page, close } = await open(browser, "robot.html");
    check((await page.locator(".view").textContent()).includes("no WebGL"), "it says that there is no WebGL");
    check((await page.locator(".plot .uplot").count()) >= 2, "plots work without WebGL");
    check((await page.locator(".canvas").count()) === 0, "nothing that cannot be drawn on is there");
    await page.locator(".play").click();
    await soon(async () => (await time(page)) > 0, "and the time moves");
    await close();
    await browser.close();
}

// Nothing of the session or the machine is in the bytes, and nothing that names a host is asked for.
function testBytes() {
    const page = readFileSync(join(pages, "robot.html"));
    check(page.equals(readFileSync(join(pages, "robot-again.html"))), "the same result gives the same bytes");
    const text = page.toString("latin1");
    check(!/<(?:script|link|img)[^>]*\b(?:src|href)=(?!["']?data:)/i.test(text), "no element refers to another file");
    check(text.includes("Permission is hereby granted"), "the libraries' notices are there");
}

testBytes();
const browser = await chromium.launch({ executablePath: browserPath, args: [...quiet, ...software] });
for (const test of [testRendering, testPlayback, testView, testContacts, testBent, testThrusters, testLinks, testBase, testLoading, testPlots, testStudy, testHostile, testMeshes, testBare, testTracked, testLooks]) {
    try {
        await test(browser);
    } catch (error) {
        check(false, `${test.name}: ${error.stack}`);
    }
}
await browser.close();
await testWithoutWebGL();
console.log(failures ? `${failures} checks failed` : "all checks passed");
process.exit(failures ? 1 : 0);
