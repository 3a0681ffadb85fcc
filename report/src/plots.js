// Linked plots: the columns of a result against time, a plot for each quantity and unit.
import uPlot from "uplot";
import { curve, makeChart, paddedRange, xAxis, yAxis } from "./chart.js";
import { indexBelow } from "./clock.js";
import { numbers, withGaps } from "./decode.js";
import { append, element } from "./dom.js";
import { formatTime, prettyUnit } from "./format.js";
import { curveColor, theme } from "./theme.js";

// Columns by what they are and their unit, in the order of their first one.
function groups(columns) {
    const found = new Map();
    for (const column of columns) {
        const key = `${column.group}\n${column.unit}`;
        if (!found.has(key)) found.set(key, { title: column.group, unit: column.unit, columns: [] });
        found.get(key).columns.push(column);
    }
    // the same quantity in two units: the title says which is which
    const list = [...found.values()];
    const twice = (group) => list.filter((other) => other.title === group.title).length > 1;
    const titles = list.map((group) => (twice(group) ? `${group.title} (${prettyUnit(group.unit) || "no unit"})` : group.title));
    list.forEach((group, i) => (group.title = titles[i]));
    return list;
}

// A target has the colour of what it is the target of.
function colorIndex(group, i) {
    const of = group.columns[i].target;
    const index = of ? group.columns.findIndex((column) => column.name === of) : -1;
    return index < 0 ? i : index;
}

// The limits of the curves that are shown.
function shownLimits(u, group) {
    return group.columns.flatMap((column, i) =>
        u.series[i + 1]?.show === false ? [] : (column.limits ?? []).map((value) => ({ value, color: curveColor(colorIndex(group, i)) })));
}

// A range with room for the limits that are not far off.
function withLimits(u, group, min, max) {
    const range = paddedRange(u, min, max);
    const near = range[1] - range[0];
    let [low, high] = range;
    for (const { value } of shownLimits(u, group)) {
        if (value < low && value > range[0] - near) low = value - 0.03 * near;
        if (value > high && value < range[1] + near) high = value + 0.03 * near;
    }
    return [low, high];
}

function drawLimits(u, group) {
    const { ctx } = u;
    const { left, top, width, height } = u.bbox;
    const scale = window.devicePixelRatio || 1;
    ctx.save();
    ctx.lineWidth = scale;
    ctx.setLineDash([scale, 3 * scale]);
    for (const { value, color } of shownLimits(u, group)) {
        const y = Math.round(u.valToPos(value, "y", true));
        if (y < top || y > top + height) continue;
        ctx.strokeStyle = color;
        ctx.beginPath();
        ctx.moveTo(left, y);
        ctx.lineTo(left + width, y);
        ctx.stroke();
    }
    ctx.restore();
}

// The plots of one section, which share cursor, zoom and time.
export class LinkedPlots {
    constructor(item, clock) {
        this.clock = clock;
        this.t = numbers(item.t);
        this.events = item.events ?? [];
        this.root = element("div", "plots");
        this.charts = [];
        this.markers = new Map();
        this.hovered = false;
        this.zooming = false;
        this.duration = clock.end - clock.start;
        this.sync = uPlot.sync(`plots-${LinkedPlots.count++}`);
        for (const group of groups(item.columns)) this.addGroup(group);
        if (item.columns.some((column) => column.limits))
            append(this.root, element("p", "hint", "Thin dotted lines are limits of joints and actuators, in the colour of their curve."));
        if (this.events.length) this.root.appendChild(this.eventList());
        append(this.root, element("p", "hint", "Click in a plot, or drag its time line, to move through time. Drag across to zoom, double click to see all."));
    }

    // Plots are drawn when they come into sight: a humanoid has hundreds of curves.
    addGroup(group) {
        const values = group.columns.map((column) => numbers(column.values));
        if (values.every((list) => list.every((x) => x === 0))) {
            const all = group.columns.map((column) => column.name).join(", ");
            const box = element("p", "plot flat", `: zero throughout (${all})`);
            box.prepend(element("strong", "", group.title));
            this.root.appendChild(box);
            return;
        }
        const box = element("section", "plot");
        box.setAttribute("aria-label", `Plot: ${group.title}`);
        const canvas = element("div", "chart");
        append(box, element("h3", "", group.title), canvas);
        this.root.appendChild(box);
        const make = () => {
            observer.disconnect();
            if (!canvas.firstChild) this.makeChart(group, values, canvas);
        };
        const observer = new IntersectionObserver((entries) => {
            if (entries.some((entry) => entry.isIntersecting)) make();
        }, { rootMargin: "400px" });
        observer.observe(box);
        window.addEventListener("beforeprint", make);
    }

    makeChart(group, values, box) {
        const data = [this.t, ...values.map((list) => withGaps(list))];
        const scale = values.reduce((most, list) => list.reduce((a, x) => (Number.isFinite(x) ? Math.max(a, Math.abs(x)) : a), most), 0);
        const options = {
            scales: { x: { time: false, range: this.rangeOfTime.bind(this) }, y: { range: (u, min, max) => withLimits(u, group, min, max) } },
            axes: [xAxis("time (s)"), yAxis(prettyUnit(group.unit))],
            series: [
                { label: "t", value: (u, x) => (x === null || x === undefined ? "–" : `${formatTime(x, this.duration)} s`) },
                ...group.columns.map((column, i) => curve(column.name, colorIndex(group, i), prettyUnit(column.unit), Boolean(column.target), scale)),
            ],
            cursor: {
                sync: { key: this.sync.key, setSeries: false, scales: ["x", null] },
                drag: { x: true, y: false, dist: 6 },
                points: { size: 6 },
                focus: { prox: 16 },
            },
            focus: { alpha: 0.35 },
            legend: { live: true },
            hooks: {
                draw: [(u) => this.drawEvents(u), (u) => drawLimits(u, group)],
                setScale: [(u, key) => key === "x" && this.zoomed(u)],
                setSize: [(u) => this.place(u)],
                ready: [(u) => this.ready(u)],
            },
        };
        const chart = makeChart(box, options, data, (w) => (w < 420 ? 180 : 210));
        this.charts.push(chart);
        if (this.zoom) this.apply(chart, this.zoom);
        this.place(chart);
        this.legendAtTime(chart);
    }

    rangeOfTime(u, min, max) {
        if (min === null) return [this.clock.start, this.clock.end];
        return max > min ? [min, max] : [min - 0.5, max + 0.5];
    }

    ready(u) {
        // the line that shows the time of the playback, wide enough to be grabbed
        const marker = element("div", "time-line");
        marker.appendChild(element("div", "time-grip"));
        u.over.appendChild(marker);
        this.markers.set(u, marker);
        this.makeGrip(u, marker);
        this.makeClicks(u);
        u.over.addEventListener("mouseenter", () => (this.hovered = true));
        u.over.addEventListener("mouseleave", () => {
            this.hovered = false;
            requestAnimationFrame(() => this.charts.forEach((chart) => this.legendAtTime(chart)));
        });
    }

    timeAt(u, event) {
        return u.posToVal(event.clientX - u.over.getBoundingClientRect().left, "x");
    }

    makeGrip(u, marker) {
        const move = (event) => this.clock.set(this.timeAt(u, event));
        marker.addEventListener("mousedown", (event) => event.stopPropagation());
        marker.addEventListener("pointerdown", (event) => {
            event.stopPropagation();
            this.clock.pause();
            marker.setPointerCapture(event.pointerId);
            marker.addEventListener("pointermove", move);
        });
        // the first click of a double click brings the line under the mouse, where it takes the second from uPlot
        marker.addEventListener("dblclick", () => u.setScale("x", { min: this.clock.start, max: this.clock.end }));
        const end = () => marker.removeEventListener("pointermove", move);
        marker.addEventListener("pointerup", end);
        marker.addEventListener("pointercancel", end);
    }

    // A click moves the time; a drag is uPlot's zoom. A finger has no zoom here, so its drag moves the time.
    makeClicks(u) {
        let from = null;
        u.over.addEventListener("pointerdown", (event) => {
            from = event.clientX;
            if (event.pointerType !== "mouse") this.clock.set(this.timeAt(u, event));
        });
        u.over.addEventListener("pointermove", (event) => {
            if (event.pointerType !== "mouse" && from !== null) this.clock.set(this.timeAt(u, event));
        });
        u.over.addEventListener("pointerup", (event) => {
            if (from !== null && event.button === 0 && Math.abs(event.clientX - from) < 5)
                this.clock.set(this.timeAt(u, event));
            from = null;
        });
        u.over.addEventListener("pointercancel", () => (from = null));
    }

    // Zooms all plots to what one of them shows.
    zoomed(u) {
        const { min, max } = u.scales.x;
        if (this.zooming || min === null || min === undefined) return;
        this.zoom = { min, max };
        this.zooming = true;
        for (const chart of this.charts) if (chart !== u) this.apply(chart, this.zoom);
        this.zooming = false;
        this.charts.forEach((chart) => this.place(chart));
    }

    apply(chart, zoom) {
        if (chart.scales.x.min !== zoom.min || chart.scales.x.max !== zoom.max) chart.batch(() => chart.setScale("x", zoom));
    }

    place(u) {
        const marker = this.markers.get(u);
        if (!marker || u.scales.x.min === null || u.scales.x.min === undefined) return;
        const x = u.valToPos(this.clock.time, "x");
        const inside = x >= -0.5 && x <= u.over.clientWidth + 0.5;
        marker.style.visibility = inside ? "visible" : "hidden";
        marker.style.transform = `translateX(${x}px)`;
    }

    legendAtTime(u) {
        if (this.hovered) return;
        let index = indexBelow(this.t, this.clock.time);
        if (index + 1 < this.t.length && this.t[index + 1] - this.clock.time < this.clock.time - this.t[index]) index++;
        u.setLegend({ idx: index }, false);
    }

    // Called as the time moves; legends, which are slow, follow a few times a second.
    showTime() {
        for (const chart of this.charts) this.place(chart);
        if (this.legendTimer) return;
        this.legendTimer = setTimeout(() => {
            this.legendTimer = null;
            this.charts.forEach((chart) => this.legendAtTime(chart));
        }, 80);
    }

    drawEvents(u) {
        if (!this.events.length) return;
        const { ctx } = u;
        const { left, top, width, height } = u.bbox;
        const scale = window.devicePixelRatio || 1;
        ctx.save();
        ctx.strokeStyle = ctx.fillStyle = theme().event;
        ctx.lineWidth = scale;
        ctx.setLineDash([3 * scale, 3 * scale]);
        for (const [t] of this.events) {
            const x = Math.round(u.valToPos(t, "x", true));
            if (x < left || x > left + width) continue;
            ctx.beginPath();
            ctx.moveTo(x, top);
            ctx.lineTo(x, top + height);
            ctx.stroke();
            ctx.beginPath();
            ctx.moveTo(x - 4 * scale, top);
            ctx.lineTo(x + 4 * scale, top);
            ctx.lineTo(x, top + 6 * scale);
            ctx.fill();
        }
        ctx.restore();
    }

    eventList() {
        const box = element("section", "events");
        const list = element("ul");
        for (const [t, text] of this.events) {
            const go = element("button", "link", `${formatTime(t, this.duration)} s`);
            go.type = "button";
            go.addEventListener("click", () => this.clock.set(t));
            append(list, append(element("li"), go, element("span", "", text)));
        }
        return append(box, element("h3", "", "Events"), list);
    }
}
LinkedPlots.count = 0;
