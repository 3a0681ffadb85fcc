// The page: a document shown in sections.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { addReplay, chooseRun } from "./chosen.js";
import { Clock } from "./clock.js";
import { numbers, readDocument } from "./decode.js";
import { append, element } from "./dom.js";
import { makeFigure } from "./figures.js";
import { makePlayback } from "./playback.js";
import { LinkedPlots } from "./plots.js";
import { makeBars, makeRuns } from "./runs.js";

const clocks = [];

function makeTable(item) {
    const box = element("div", "table");
    const table = element("table");
    if (item.caption) table.appendChild(element("caption", "", item.caption));
    const [heading, ...rows] = item.rows;
    const cell = (tag, text, column) => {
        const c = element(tag, item.align[column] === "r" ? "right" : "", text);
        if (tag === "th") c.scope = "col";
        return c;
    };
    const head = element("thead");
    head.appendChild(append(element("tr"), ...heading.map((text, i) => cell("th", text, i))));
    const body = element("tbody");
    for (const row of rows) {
        const line = body.appendChild(append(element("tr"), ...row.map((text, i) => cell("td", text, i))));
        if (item.of !== "runs") continue;
        // the first cell is the number of a run, which is chosen by a click
        line.className = "clickable";
        line.tabIndex = 0;
        line.title = "Show this run";
        line.addEventListener("click", () => chooseRun(Number(row[0])));
        line.addEventListener("keydown", (event) => {
            if (event.key === "Enter") chooseRun(Number(row[0]));
        });
    }
    return append(box, append(table, head, body));
}

function makeSettings(settings) {
    const section = element("section", "section");
    const table = element("table", "settings");
    const body = element("tbody");
    for (const [key, text] of settings) {
        const head = element("th", "", key);
        head.scope = "row";
        body.appendChild(append(element("tr"), head, element("td", "", text)));
    }
    return append(section, element("h2", "", "Settings"), append(element("div", "table"), append(table, body)));
}

// The time that plots and playback of a section span together.
function makeClock(items) {
    let start = Infinity;
    let end = -Infinity;
    for (const item of items) {
        if (item.kind !== "series" && item.kind !== "playback") continue;
        const t = numbers(item.t);
        if (!t.length) continue;
        start = Math.min(start, t[0]);
        end = Math.max(end, t[t.length - 1]);
    }
    return start <= end ? new Clock(start, end) : null;
}

function makeItem(item, clock) {
    if (item.kind === "text") return element("p", "", item.text);
    if (item.kind === "note") return element("p", "note", item.text);
    if (item.kind === "table") return makeTable(item);
    if (item.kind === "figure") return makeFigure(item);
    if (item.kind === "runs") return makeRuns(item);
    if (item.kind === "replay") return addReplay(item);
    if (item.kind === "bars") return makeBars(item);
    if (item.kind === "series" && clock) {
        const plots = new LinkedPlots(item, clock);
        clock.onTime(() => plots.showTime());
        return plots.root;
    }
    if (item.kind === "playback" && clock) return makePlayback(item, clock).root;
    return null;
}

function makeSection(section) {
    const root = element("section", "section");
    if (section.heading) root.appendChild(element("h2", "", section.heading));
    const clock = makeClock(section.items);
    if (clock) clocks.push({ clock, root });
    // playback beside its plots, so that both are in sight
    const kinds = section.items.map((item) => item.kind);
    const paired = kinds.includes("playback") && kinds.includes("series");
    const pair = paired ? element("div", "pair") : null;
    let placed = false;
    let figures = null;
    section.items.forEach((item, i) => {
        const made = makeItem(item, clock);
        if (!made) return;
        // figures that follow each other stand side by side where there is room
        if (item.kind === "figure" && (figures || kinds[i + 1] === "figure")) {
            if (!figures) figures = root.appendChild(element("div", "figures"));
            figures.appendChild(made);
            return;
        }
        figures = null;
        if (paired && (item.kind === "playback" || item.kind === "series")) {
            if (!placed) root.appendChild(pair);
            placed = true;
            pair.appendChild(made);
        } else root.appendChild(made);
    });
    return root;
}

// Keys act on the section in sight.
function currentClock() {
    const middle = window.innerHeight / 2;
    const distance = ({ root }) => {
        const { top, bottom } = root.getBoundingClientRect();
        return top > middle ? top - middle : bottom < middle ? middle - bottom : 0;
    };
    return clocks.length ? clocks.reduce((a, b) => (distance(b) < distance(a) ? b : a)).clock : null;
}

function onKey(event) {
    const tag = event.target.tagName;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (tag === "SELECT" || (tag === "INPUT" && event.target.type !== "range")) return;
    if (tag === "BUTTON" && event.key === " ") return;
    const clock = currentClock();
    if (!clock) return;
    const step = ((clock.end - clock.start) / 100) * (event.shiftKey ? 10 : 1);
    const actions = {
        " ": () => clock.toggle(),
        ArrowLeft: () => clock.set(clock.time - step),
        ArrowRight: () => clock.set(clock.time + step),
        Home: () => clock.set(clock.start),
        End: () => clock.set(clock.end),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    if (event.key !== " ") clock.pause();
    action();
}

function main() {
    const doc = readDocument();
    document.title = doc.title;
    const page = document.getElementById("page");
    page.replaceChildren();
    const header = append(element("header", "header"), element("h1", "", doc.title), doc.subtitle ? element("p", "subtitle", doc.subtitle) : null);
    page.appendChild(header);
    for (const section of doc.sections) page.appendChild(makeSection(section));
    if (doc.settings.length) page.appendChild(makeSettings(doc.settings));
    page.appendChild(element("footer", "footer", doc.footer));
    document.addEventListener("keydown", onKey);
    document.documentElement.dataset.ready = "true";
}

// A large page takes seconds to draw: that it is loading is painted first. What goes wrong is said where the report
// would be.
function start() {
    try {
        main();
    } catch (error) {
        document.getElementById("page").replaceChildren(element("p", "note", `This report cannot be shown: ${error.message}`));
        throw error;
    }
}

requestAnimationFrame(() => setTimeout(start));
