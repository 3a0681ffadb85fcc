// Many runs: a histogram of each number, a scatter plot and parallel coordinates, which select together.
import { chooseRun, hasReplay, makeChosen } from "./chosen.js";
import { bytes, numbers } from "./decode.js";
import { append, choice, element } from "./dom.js";
import { format, prettyUnit } from "./format.js";
import { Raster } from "./raster.js";
import { onThemeChange, theme } from "./theme.js";

const LINES = 1500; // drawn in parallel coordinates
const FAILED = 1; // the colour of runs that are not complete

// A canvas that is as sharp as the screen; draw(context, width, height) whenever it changes. What lies below,
// many(raster, scale), is put into its pixels first.
function makeCanvas(className, draw, many) {
    const canvas = element("canvas", className);
    let raster = null;
    const paint = () => {
        const { clientWidth: width, clientHeight: height } = canvas;
        if (!width || !height) return;
        const scale = window.devicePixelRatio || 1;
        const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
        if (canvas.width !== across || canvas.height !== down) [canvas.width, canvas.height] = [across, down];
        const context = canvas.getContext("2d", { willReadFrequently: true }); // in memory, where the pixels are
        context.setTransform(scale, 0, 0, scale, 0, 0);
        context.clearRect(0, 0, width, height);
        if (many) {
            if (raster?.width !== across || raster?.height !== down) raster = new Raster(across, down);
            raster.clear();
            many(raster, scale, width, height);
            raster.put(context);
        }
        draw(context, width, height);
    };
    new ResizeObserver(paint).observe(canvas);
    onThemeChange(paint);
    return { canvas, paint };
}

// Drags on a canvas: from, to in its pixels; done(null) for a double click.
function onDrag(canvas, moved, done) {
    let start = null;
    const at = (event) => {
        const box = canvas.getBoundingClientRect();
        return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointerdown", (event) => {
        start = at(event);
        canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
        if (start) moved(start, at(event));
    });
    canvas.addEventListener("pointerup", (event) => {
        if (start) done(start, at(event));
        start = null;
    });
    canvas.addEventListener("dblclick", () => done(null, null));
}

class Runs {
    constructor(item) {
        this.index = numbers(item.index);
        this.outcome = bytes(item.outcome);
        this.columns = item.columns.map((c) => {
            const values = numbers(c.values);
            const [low, high] = c.low < c.high ? [c.low, c.high] : [c.low - 1, c.low + 1];
            return { ...c, values, low, high };
        });
        this.selected = new Uint8Array(this.index.length).fill(1);
        this.brushes = new Map();
        this.views = [];
        this.pending = false;
    }

    label(k) {
        const { name, unit } = this.columns[k];
        return unit ? `${name} (${prettyUnit(unit)})` : name;
    }

    text(k, x) {
        const { words } = this.columns[k];
        return words ? (words[Math.round(x)] ?? "–") : format(x);
    }

    // All numbers of the run at place i, and how it ended.
    describe(i, item) {
        return this.columns.map((c, k) => `${c.name} ${this.text(k, c.values[i])}`).join(", ") + (this.outcome[i] ? ` · ${item.outcomes[this.outcome[i]]}` : "");
    }

    // Keeps the runs of column k between two values; null: all.
    brush(k, range) {
        if (range) this.brushes.set(k, range);
        else this.brushes.delete(k);
        this.selected.fill(1);
        for (const [column, [low, high]] of this.brushes) {
            const { values } = this.columns[column];
            for (let i = 0; i < values.length; i++) if (!(values[i] >= low && values[i] <= high)) this.selected[i] = 0;
        }
        this.changed();
    }

    count() {
        return this.selected.reduce((sum, x) => sum + x, 0);
    }

    changed() {
        if (this.pending) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            for (const view of this.views) view();
        });
    }
}

// ---------------------------------------------------------------------------------------------

// All runs in grey, the selected ones of those on the page in colour, each as high as its own largest.
function makeHistogram(runs, k) {
    const column = runs.columns[k];
    const box = element("div", "histogram");
    const readout = element("p", "readout");
    const place = (width, x) => ((x - column.low) / (column.high - column.low)) * width;
    const value = (width, x) => column.low + (Math.min(Math.max(x, 0), width) / width) * (column.high - column.low);
    const { canvas, paint } = makeCanvas("histogram-canvas", (context, width, height) => {
        const bins = column.histogram.length;
        const counts = new Float64Array(bins);
        column.values.forEach((x, i) => {
            if (!runs.selected[i] || !Number.isFinite(x)) return;
            const bin = Math.floor(((x - column.low) / (column.high - column.low)) * bins);
            if (bin >= 0 && bin <= bins) counts[Math.min(bin, bins - 1)]++;
        });
        const draw = (heights, color, alpha) => {
            const most = Math.max(...heights, 1e-300);
            context.fillStyle = color;
            context.globalAlpha = alpha;
            for (let i = 0; i < bins; i++) {
                const h = (heights[i] / most) * (height - 4);
                context.fillRect((i * width) / bins + 0.5, height - h, width / bins - 1, h);
            }
            context.globalAlpha = 1;
        };
        draw(column.histogram, theme().axis, 0.35);
        draw(counts, theme().curves[0], 0.75);
        const brush = runs.brushes.get(k);
        if (brush) {
            context.strokeStyle = theme().curves[1];
            context.lineWidth = 2;
            context.strokeRect(place(width, brush[0]), 1, place(width, brush[1]) - place(width, brush[0]), height - 2);
        }
        readout.textContent = brush
            ? `${runs.text(k, brush[0])} to ${runs.text(k, brush[1])}`
            : `${runs.text(k, column.low)} to ${runs.text(k, column.high)}`;
    });
    canvas.title = "Drag to select, double click to select all";
    const range = (a, b) => {
        const width = canvas.clientWidth;
        const ends = [value(width, a[0]), value(width, b[0])].sort((x, y) => x - y);
        return Math.abs(a[0] - b[0]) > 3 ? ends : null;
    };
    onDrag(
        canvas,
        (a, b) => runs.brush(k, range(a, b)),
        (a, b) => runs.brush(k, a && range(a, b)),
    );
    runs.views.push(paint);
    return append(box, element("h3", "", runs.label(k)), canvas, readout);
}

// ---------------------------------------------------------------------------------------------

function makeScatter(runs, item) {
    const parameters = runs.columns.map((c, k) => k).filter((k) => runs.columns[k].kind === "parameter");
    const scalars = runs.columns.map((c, k) => k).filter((k) => runs.columns[k].kind === "scalar");
    let x = parameters[0] ?? 0;
    let y = scalars[0] ?? runs.columns.length - 1;
    const margin = { left: 84, right: 14, top: 14, bottom: 26 };
    const box = element("div", "scatter");
    const told = element("p", "readout", "Rest on a point to see its run; click it for its command, and its motion where the page has it.");
    const place = (k, t, from, to) => from + ((t - runs.columns[k].low) / (runs.columns[k].high - runs.columns[k].low)) * (to - from);
    const spot = (i, width, height) => [
        place(x, runs.columns[x].values[i], margin.left, width - margin.right),
        place(y, runs.columns[y].values[i], height - margin.bottom, margin.top),
    ];
    const points = (raster, scale, width, height) => {
        const size = Math.round((runs.index.length > 5000 ? 2 : 3) * scale);
        const groups = [
            [0, theme().axis, 0.12],
            [1, theme().curves[0], runs.index.length > 20000 ? 0.35 : 0.6],
            [2, theme().curves[FAILED], 0.9],
        ];
        const { values: across } = runs.columns[x];
        const { values: up } = runs.columns[y];
        for (const [group, color, alpha] of groups) {
            raster.color(color, alpha);
            for (let i = 0; i < runs.index.length; i++) {
                const own = !runs.selected[i] ? 0 : runs.outcome[i] ? 2 : 1;
                if (own !== group) continue;
                const px = place(x, across[i], margin.left, width - margin.right);
                const py = place(y, up[i], height - margin.bottom, margin.top);
                if (px === px && py === py) raster.square(px * scale, py * scale, size);
            }
        }
    };
    const edges = (context, width, height) => {
        // what the edges stand for
        context.fillStyle = theme().axis;
        context.font = "12px system-ui, sans-serif";
        for (const part of [0, 0.5, 1]) {
            const value = (k) => runs.columns[k].low + part * (runs.columns[k].high - runs.columns[k].low);
            context.textAlign = ["left", "center", "right"][2 * part];
            context.fillText(runs.text(x, value(x)), place(x, value(x), margin.left, width - margin.right), height - 6);
            context.textAlign = "right";
            context.fillText(runs.text(y, value(y)), margin.left - 8, place(y, value(y), height - margin.bottom, margin.top) + 4);
        }
    };
    const { canvas, paint } = makeCanvas("scatter-canvas", edges, points);
    const nearest = (event) => {
        const { left, top } = canvas.getBoundingClientRect();
        let best = -1;
        let least = 64;
        for (let i = 0; i < runs.index.length; i++) {
            const [px, py] = spot(i, canvas.clientWidth, canvas.clientHeight);
            const d = (px - event.clientX + left) ** 2 + (py - event.clientY + top) ** 2;
            if (d < least) [best, least] = [i, d];
        }
        return best;
    };
    const describe = (i) => `run ${runs.index[i]}: ${runs.describe(i, item)}`;
    canvas.addEventListener("pointermove", (event) => {
        const i = event.buttons ? -1 : nearest(event);
        if (i >= 0) told.textContent = describe(i);
    });
    canvas.addEventListener("click", (event) => {
        const i = nearest(event);
        if (i >= 0) chooseRun(runs.index[i]);
    });
    const value = (k, t, from, to) => runs.columns[k].low + ((t - from) / (to - from)) * (runs.columns[k].high - runs.columns[k].low);
    onDrag(
        canvas,
        () => {},
        (a, b) => {
            const far = a && Math.hypot(a[0] - b[0], a[1] - b[1]) > 6;
            if (a && !far) return;
            const width = canvas.clientWidth;
            const height = canvas.clientHeight;
            const range = (k, s, t, from, to) => [value(k, s, from, to), value(k, t, from, to)].sort((p, q) => p - q);
            runs.brush(x, far ? range(x, a[0], b[0], margin.left, width - margin.right) : null);
            runs.brush(y, far ? range(y, a[1], b[1], height - margin.bottom, margin.top) : null);
        },
    );
    const options = runs.columns.map((c, k) => [String(k), runs.label(k)]);
    const choices = append(
        element("div", "options"),
        choice("across", options, String(x), (k) => ((x = Number(k)), paint())),
        choice("up", options, String(y), (k) => ((y = Number(k)), paint())),
    );
    runs.views.push(paint);
    return append(box, choices, canvas, told);
}

// ---------------------------------------------------------------------------------------------

function makeParallel(runs) {
    const box = element("div", "parallel");
    const axisAt = (k, width) => 40 + (k * (width - 80)) / Math.max(runs.columns.length - 1, 1);
    const place = (k, x, height) => height - 26 - ((x - runs.columns[k].low) / (runs.columns[k].high - runs.columns[k].low)) * (height - 60);
    const value = (k, y, height) => runs.columns[k].low + ((height - 26 - y) / (height - 60)) * (runs.columns[k].high - runs.columns[k].low);
    const lines = (raster, scale, width, height) => {
        const all = [];
        for (let i = 0; i < runs.index.length; i++) if (runs.selected[i]) all.push(i);
        const step = Math.max(all.length / LINES, 1); // of many, so many from all over
        const chosen = Array.from({ length: Math.floor(all.length / step) }, (_, k) => all[Math.floor(k * step)]);
        const alpha = Math.max(0.06, Math.min(0.6, 40 / chosen.length));
        for (const i of chosen) {
            let last = null;
            raster.color(theme().curves[runs.outcome[i] ? FAILED : 0], alpha);
            runs.columns.forEach((c, k) => {
                if (!Number.isFinite(c.values[i])) return;
                const next = [axisAt(k, width) * scale, place(k, c.values[i], height) * scale];
                if (last) raster.line(...last, ...next);
                last = next;
            });
        }
    };
    const axes = (context, width, height) => {
        context.lineWidth = 1;
        context.textAlign = "center";
        context.font = "12px system-ui, sans-serif";
        runs.columns.forEach((c, k) => {
            const x = axisAt(k, width);
            context.strokeStyle = theme().axis;
            context.fillStyle = theme().axis;
            context.beginPath();
            context.moveTo(x, 34);
            context.lineTo(x, height - 26);
            context.stroke();
            context.fillText(c.name, x, 14);
            context.fillText(runs.text(k, c.high), x, 28);
            context.fillText(runs.text(k, c.low), x, height - 10);
            const brush = runs.brushes.get(k);
            if (!brush) return;
            context.strokeStyle = theme().curves[1];
            context.lineWidth = 3;
            context.strokeRect(x - 6, place(k, brush[1], height), 12, place(k, brush[0], height) - place(k, brush[1], height));
            context.lineWidth = 1;
        });
    };
    const { canvas, paint } = makeCanvas("parallel-canvas", axes, lines);
    const near = (x) => {
        const distances = runs.columns.map((c, k) => Math.abs(axisAt(k, canvas.clientWidth) - x));
        return distances.indexOf(Math.min(...distances));
    };
    const range = (k, a, b) => {
        const ends = [value(k, a[1], canvas.clientHeight), value(k, b[1], canvas.clientHeight)].sort((p, q) => p - q);
        return Math.abs(a[1] - b[1]) > 3 ? ends : null;
    };
    onDrag(
        canvas,
        (a, b) => runs.brush(near(a[0]), range(near(a[0]), a, b)),
        (a, b) => (a ? runs.brush(near(a[0]), range(near(a[0]), a, b)) : [...runs.brushes.keys()].forEach((k) => runs.brush(k, null))),
    );
    canvas.title = "Drag along an axis to select, double click to select all";
    runs.views.push(paint);
    return append(box, canvas);
}

// Bars from -1 to 1 with whiskers of one error each.
export function makeBars(item) {
    const figure = element("figure", "figure");
    const { canvas } = makeCanvas("bars-canvas", (context, width, height) => {
        const row = height / item.bars.length;
        const left = Math.min(width * 0.4, 260);
        const signed = item.bars.some((bar) => bar.value < 0);
        context.font = "13px system-ui, sans-serif";
        // as much room at the right as the longest number takes
        const labels = item.bars.map((bar) => format(Number(bar.value.toPrecision(3))));
        const room = Math.max(...labels.map((label) => context.measureText(label).width)) + 16;
        const at = (x) => left + (signed ? (x + 1) / 2 : x) * (width - left - room);
        item.bars.forEach((bar, i) => {
            const middle = (i + 0.5) * row;
            context.fillStyle = theme().axis;
            context.textAlign = "right";
            context.fillText(bar.name, left - 10, middle + 4, left - 14);
            context.textAlign = "left";
            context.fillText(labels[i], width - room + 10, middle + 4);
            context.fillStyle = theme().curves[bar.color];
            context.fillRect(Math.min(at(0), at(bar.value)), middle - row * 0.3, Math.abs(at(bar.value) - at(0)), row * 0.6);
            if (!bar.error) return;
            context.strokeStyle = theme().axis;
            context.beginPath();
            context.moveTo(at(bar.value - bar.error), middle);
            context.lineTo(at(bar.value + bar.error), middle);
            context.stroke();
        });
    });
    canvas.style.height = `${Math.max(item.bars.length * 24, 40)}px`;
    return append(figure, canvas, element("figcaption", "", item.caption));
}

export function makeRuns(item) {
    const runs = new Runs(item);
    const root = element("div", "runs");
    const told = element("p", "readout");
    runs.views.push(() => {
        const chosen = runs.count();
        told.textContent = chosen === runs.index.length ? `${runs.index.length} runs` : `${chosen} of ${runs.index.length} runs are selected`;
    });
    const grid = element("div", "histograms");
    runs.columns.forEach((c, k) => grid.appendChild(makeHistogram(runs, k)));
    const chosen = makeChosen(item.command, (run) => {
        const i = runs.index.indexOf(run);
        const shown = i >= 0 ? runs.describe(i, item) : "Not among the runs drawn";
        const why = item.why[run] ? `${shown}: ${item.why[run]}` : shown;
        return hasReplay(run) ? why : `${why} · Its motion is not on this page.`;
    });
    append(root, told, grid, makeScatter(runs, item), chosen, makeParallel(runs));
    runs.changed();
    return root;
}
