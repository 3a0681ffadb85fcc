// Figures of a document: curves with axes of their own.
import uPlot from "uplot";
import { curve, logRange, makeChart, paddedRange, xAxis, yAxis } from "./chart.js";
import { numbers, withGaps } from "./decode.js";
import { append, element } from "./dom.js";
import { format } from "./format.js";
import { curveColor, curveDash } from "./theme.js";

function increasing(x) {
    for (let i = 1; i < x.length; i++) if (!(x[i] > x[i - 1])) return false;
    return x.length > 0 && Number.isFinite(x[0]) && Number.isFinite(x[x.length - 1]);
}

// Where one of the two coordinates cannot be drawn, neither is.
function points(series, xLog, yLog) {
    const x = numbers(series.x);
    const y = numbers(series.y);
    const ok = (value, log) => Number.isFinite(value) && (!log || value > 0);
    return { x, y: Array.from(y, (value, i) => (ok(value, yLog) && ok(x[i], xLog) ? value : null)) };
}

function look(series, index) {
    const color = series.color > 0 ? series.color - 1 : index;
    const style = curve(series.name, color, "", series.dashed);
    const marks = { show: true, size: 6, width: 1.5, fill: () => curveColor(color), stroke: () => curveColor(color) };
    if (series.style !== "lines") style.points = marks;
    if (series.style === "points") style.paths = () => null;
    return style;
}

function scales(figure, xRange, yRange) {
    return {
        x: { time: false, distr: figure.x_log ? 3 : 1, range: xRange },
        y: { distr: figure.y_log ? 3 : 1, range: yRange },
    };
}

// Curves over one increasing x: uPlot's own kind of chart, with values under the cursor.
function functionChart(box, figure, curves, height) {
    const tables = curves.map((c) => [figure.x_log ? withGaps(c.x, (v) => v > 0) : c.x, c.y]);
    // x that no axis can show is dropped with its y
    const clean = tables.map(([x, y]) => {
        const kept = Array.from(x, (_, i) => i).filter((i) => x[i] !== null);
        return [kept.map((i) => x[i]), kept.map((i) => y[i])];
    });
    const data = uPlot.join(clean);
    const options = {
        scales: scales(figure, figure.x_log ? logRange : tightRange, figure.y_log ? logRange : paddedRange),
        axes: [xAxis(figure.x_label, figure.x_log), yAxis(figure.y_label, figure.y_log)],
        series: [
            { label: (figure.x_label || "x").replace(/\s*\(.*\)$/, ""), value: (u, x) => format(x) },
            ...figure.series.map(look),
        ],
        cursor: { drag: { x: true, y: false, dist: 6 }, points: { size: 7 }, focus: { prox: 16 } },
        focus: { alpha: 0.35 },
        hooks: { ready: [(u) => showLast(u, clean)] },
    };
    makeChart(box, options, data, height);
}

function tightRange(u, min, max) {
    if (min === null) return [0, 1];
    return max > min ? [min - 0.01 * (max - min), max + 0.01 * (max - min)] : [min - 0.5, max + 0.5];
}

// The legend has the last values when no cursor is there.
function showLast(u) {
    const last = () => u.setLegend({ idx: u.data[0].length - 1 }, false);
    last();
    u.over.addEventListener("mouseleave", () => requestAnimationFrame(last));
}

// Curves that turn back in x: points joined in their order.
function pathChart(box, figure, curves, height) {
    const readout = element("div", "readout", "\u00a0");
    const draw = (u, index) => {
        const series = u.series[index];
        const [x, y] = u.data[index];
        const style = figure.series[index - 1].style;
        const scale = window.devicePixelRatio || 1;
        const { ctx } = u;
        ctx.save();
        ctx.beginPath();
        ctx.rect(u.bbox.left, u.bbox.top, u.bbox.width, u.bbox.height);
        ctx.clip();
        ctx.strokeStyle = ctx.fillStyle = curveColor(series.pinionIndex);
        ctx.lineWidth = 1.75 * scale;
        ctx.lineJoin = "round";
        ctx.setLineDash(curveDash(series.pinionIndex, series.pinionDashed).map((d) => d * scale));
        const at = (i) => [u.valToPos(x[i], "x", true), u.valToPos(y[i], "y", true)];
        if (style !== "points") {
            ctx.beginPath();
            let pen = false;
            for (let i = 0; i < x.length; i++) {
                if (x[i] === null || y[i] === null) pen = false;
                else if (pen) ctx.lineTo(...at(i));
                else {
                    ctx.moveTo(...at(i));
                    pen = true;
                }
            }
            ctx.stroke();
        }
        if (style !== "lines") {
            for (let i = 0; i < x.length; i++) {
                if (x[i] === null || y[i] === null) continue;
                ctx.beginPath();
                ctx.arc(...at(i), 3 * scale, 0, 2 * Math.PI);
                ctx.fill();
            }
        }
        ctx.restore();
        return null;
    };
    const facets = [
        { scale: "x", auto: true },
        { scale: "y", auto: true },
    ];
    const data = [null, ...curves.map((c) => [c.y.map((y, i) => (y === null ? null : c.x[i])), c.y])];
    const options = {
        mode: 2,
        scales: scales(figure, ...pathRanges(figure, data)),
        axes: [xAxis(figure.x_label, figure.x_log), yAxis(figure.y_label, figure.y_log)],
        series: [{}, ...figure.series.map((s, i) => ({ ...look(s, i), facets, paths: draw, points: { show: false } }))],
        cursor: { drag: { x: true, y: true, uni: 30, dist: 6 }, points: { show: false }, dataIdx: () => null },
        legend: { live: false },
        hooks: {
            setCursor: [(u) => {
                const { left, top } = u.cursor;
                readout.textContent = left < 0 || left === undefined ? "\u00a0" : `(${format(u.posToVal(left, "x"))}, ${format(u.posToVal(top, "y"))})`;
            }],
        },
    };
    makeChart(box, options, data, height);
    box.appendChild(readout);
}

// uPlot asks for the range at every zoom: the limits it passes are those to show then.
function pathRanges(figure, data) {
    const limits = (axis, log) => {
        let min = null;
        let max = null;
        for (const [x, y] of data.slice(1))
            for (const value of axis === "x" ? x : y) {
                if (value === null) continue;
                min = min === null ? value : Math.min(min, value);
                max = max === null ? value : Math.max(max, value);
            }
        return log ? logRange(null, min, max) : paddedRange(null, min, max);
    };
    const all = { x: limits("x", figure.x_log), y: limits("y", figure.y_log) };
    const range = (axis) => (u, min, max) => {
        const zoomed = min !== null && (min > all[axis][0] || max < all[axis][1]) && u.pinionStarted?.[axis];
        u.pinionStarted = { ...u.pinionStarted, [axis]: true };
        const whole = equalRange(u, figure, all, axis);
        return zoomed && !isData(min, max, axis) ? [min, max] : whole;
    };
    // a double click asks for the data's own limits, which then get their air again
    const bounds = { x: extremes(data, 0), y: extremes(data, 1) };
    const isData = (min, max, axis) => min === bounds[axis][0] && max === bounds[axis][1];
    return [range("x"), range("y")];
}

function extremes(data, which) {
    let min = Infinity;
    let max = -Infinity;
    for (const curve of data.slice(1))
        for (const value of curve[which]) {
            if (value === null) continue;
            min = Math.min(min, value);
            max = Math.max(max, value);
        }
    return [min, max];
}

// Widens one of the two ranges so that a length is the same on both axes.
function equalRange(u, figure, all, axis) {
    if (!figure.equal || figure.x_log || figure.y_log) return all[axis];
    const width = Math.max(1, u.width - 90);
    const height = Math.max(1, u.height - 60);
    const [x0, x1] = all.x;
    const [y0, y1] = all.y;
    const unit = Math.max((x1 - x0) / width, (y1 - y0) / height);
    if (axis === "x") {
        const middle = (x0 + x1) / 2;
        return [middle - (unit * width) / 2, middle + (unit * width) / 2];
    }
    const middle = (y0 + y1) / 2;
    return [middle - (unit * height) / 2, middle + (unit * height) / 2];
}

export function makeFigure(figure) {
    const box = element("figure", "figure");
    const canvas = element("div", "chart");
    append(box, canvas, figure.caption ? element("figcaption", "", figure.caption) : null);
    const curves = figure.series.map((series) => points(series, figure.x_log, figure.y_log));
    const height = (w) => Math.round(Math.min(figure.equal ? 460 : 340, Math.max(220, w * (figure.equal ? 0.8 : 0.5))));
    const make = () => {
        observer.disconnect();
        if (canvas.firstChild) return;
        const plain = !figure.equal && curves.every((c) => increasing(c.x));
        (plain ? functionChart : pathChart)(canvas, figure, curves, height);
    };
    const observer = new IntersectionObserver((entries) => {
        if (entries.some((entry) => entry.isIntersecting)) make();
    }, { rootMargin: "400px" });
    observer.observe(box);
    window.addEventListener("beforeprint", make);
    return box;
}
