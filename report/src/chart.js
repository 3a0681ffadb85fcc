// What all charts share: axes, ranges, size, colours that follow the theme.
import uPlot from "uplot";
import { format, logLabels, tickLabels } from "./format.js";
import { curveColor, curveDash, onThemeChange, theme } from "./theme.js";

const font = '12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
const charts = new Set();

onThemeChange(() => {
    for (const chart of charts) {
        refreshMarkers(chart);
        chart.redraw(false, true);
    }
});

function axis(label, isLog, size) {
    return {
        label,
        labelSize: label ? 22 : 0,
        labelGap: 2,
        labelFont: font,
        font,
        size,
        gap: 4,
        stroke: () => theme().axis,
        grid: { stroke: () => theme().grid, width: 1 },
        ticks: { stroke: () => theme().grid, width: 1, size: 4 },
        values: (u, ticks, _axis, _space, step) => (isLog ? logLabels(ticks) : tickLabels(ticks, step)),
        // uPlot's own choice on logarithmic axes draws every ninth of every decade, and may leave all labels out
        ...(isLog ? { splits: logSplits, filter: (u, ticks) => ticks } : {}),
    };
}

// Powers of ten, not too many; over few decades also what lies between them.
function logSplits(u, _axis, min, max) {
    const decades = Math.log10(max / min);
    const step = Math.ceil(decades / 8);
    const digits = decades <= 3 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : [1];
    const ticks = [];
    for (let e = step * Math.floor(Math.log10(min) / step); 10 ** e <= max; e += step)
        for (const digit of digits) {
            const x = Number((digit * 10 ** e).toPrecision(12));
            if (x >= min && x <= max) ticks.push(x);
        }
    return ticks;
}

export function xAxis(label, isLog) {
    return axis(label, isLog, 28);
}

export function yAxis(label, isLog) {
    return axis(label, isLog, 62);
}

// A range with some air; around a constant, and around what only rounding distinguishes, a range of its own size.
export function paddedRange(u, min, max) {
    if (min === null || max === null) return [-1, 1];
    const size = Math.max(Math.abs(min), Math.abs(max));
    if (size === 0) return [-1, 1];
    if (max - min <= 1e-13 * size) return [min - 0.1 * size, max + 0.1 * size];
    const air = 0.06 * (max - min);
    return [min - air, max + air];
}

export function logRange(u, min, max) {
    if (min === null || max === null) return [0.1, 10];
    if (max > min) return [min / (max / min) ** 0.05, max * (max / min) ** 0.05];
    return [min / 2, max * 2];
}

// The look of the curve with that number, in a chart of numbers as large as `scale`.
export function curve(name, index, unit, dashed, scale) {
    return {
        label: name,
        stroke: () => curveColor(index),
        width: 1.75,
        dash: curveDash(index, dashed),
        points: { show: false },
        value: (u, x) => (unit && x !== null && x !== undefined ? `${format(x, scale)} ${unit}` : format(x, scale)),
        pinionIndex: index,
        pinionDashed: dashed,
    };
}

// The rows of the legend by the number of their series: charts of paths have none for x.
function legendRows(u) {
    const rows = [...u.root.querySelectorAll(".u-legend .u-series")];
    while (rows.length < u.series.length) rows.unshift(null);
    return rows;
}

// Legend markers are drawn as a piece of the curve, dashes included.
function refreshMarkers(u) {
    legendRows(u).forEach((row, i) => {
        const series = u.series[i];
        const marker = row?.querySelector(".u-marker");
        if (!marker) return;
        row.classList.toggle("x-row", i === 0);
        if (series.pinionIndex === undefined) return;
        const dash = curveDash(series.pinionIndex, series.pinionDashed);
        marker.style.border = "none";
        marker.style.borderTop = `3px ${dash.length ? (dash[0] > 3 ? "dashed" : "dotted") : "solid"} ${curveColor(series.pinionIndex)}`;
    });
}

// Clicking a name in the legend hides a curve; with Ctrl, or a double click, it leaves that one alone, and again
// brings all back.
function legendIsolates(u) {
    const isolate = (index) => {
        const alone = u.series.every((s, i) => i === 0 || s.show === (i === index));
        u.batch(() => {
            for (let i = 1; i < u.series.length; i++) u.setSeries(i, { show: alone || i === index });
        });
    };
    legendRows(u).forEach((row, index) => {
        const label = row?.querySelector("th");
        if (!label || index === 0) return;
        label.tabIndex = 0;
        label.setAttribute("role", "button");
        label.title = "Click: show or hide. Double click: only this one, or all";
        label.addEventListener("keydown", (event) => {
            if (event.key !== "Enter" && event.key !== " ") return;
            event.preventDefault();
            event.stopPropagation();
            u.setSeries(index, { show: !u.series[index].show });
        });
        label.addEventListener("dblclick", () => isolate(index));
    });
}

// Makes the chart in a box that decides its width. Returns the uPlot.
export function makeChart(box, options, data, height) {
    const width = () => Math.max(160, Math.floor(box.clientWidth));
    const chart = new uPlot({ ...options, width: width(), height: height(width()) }, data, box);
    charts.add(chart);
    refreshMarkers(chart);
    legendIsolates(chart);
    new ResizeObserver(() => {
        const w = width();
        if (w !== chart.width) chart.setSize({ width: w, height: height(w) });
    }).observe(box);
    return chart;
}
