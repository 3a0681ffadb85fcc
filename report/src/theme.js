// Colours, light and dark. Curves use the palette of Okabe and Ito, made for people who confuse colours, without
// its yellow, which vanishes on white; after eight curves dashes tell them apart.

const light = {
    curves: ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b07a00", "#3f9fd6", "#6b4fa0", "#5f6770"],
    axis: "#59636e",
    grid: "#59636e22",
    event: "#8c3b8c",
    trace: 0xd55e00,
    mass: 0x0072b2,
    force: 0x009e73,
    touch: 0xb3243b,
    cone: 0xb07a00,
    support: 0x6b4fa0,
    link: [0xe9edf2, 0xcfd7e1],
    joint: 0x2e4a6b,
    slide: 0xb07a00,
    base: 0x8a94a1,
    gridLine: 0x9aa4b0,
    gridCenter: 0x6d7885,
    sky: 0xffffff,
    soil: 0xb8bfc8,
    shadow: 0.18,
};

const dark = {
    curves: ["#4da3dd", "#f0803c", "#2fc79a", "#e79cc6", "#e6b23c", "#8fd0f5", "#b49be0", "#aab2bb"],
    axis: "#a3adb8",
    grid: "#a3adb826",
    event: "#d48fd4",
    trace: 0xf0803c,
    mass: 0x4da3dd,
    force: 0x2fc79a,
    touch: 0xff6b81,
    cone: 0xe6b23c,
    support: 0xb49be0,
    link: [0xdfe5ec, 0xb9c4d1],
    joint: 0x5f8dc0,
    slide: 0xe6b23c,
    base: 0x76818e,
    gridLine: 0x4a545f,
    gridCenter: 0x6d7885,
    sky: 0xdfe8f2,
    soil: 0x4a525c,
    shadow: 0.4,
};

const query = window.matchMedia("(prefers-color-scheme: dark)");
// paper is white whatever the screen is
let printing = false;

export function theme() {
    return query.matches && !printing ? dark : light;
}

const listeners = [];
export function onThemeChange(listener) {
    listeners.push(listener);
}
function changed() {
    for (const listener of listeners) listener();
}
query.addEventListener("change", changed);
window.addEventListener("beforeprint", () => {
    printing = true;
    changed();
});
window.addEventListener("afterprint", () => {
    printing = false;
    changed();
});

const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3]];

export function curveColor(index) {
    const curves = theme().curves;
    return curves[index % curves.length];
}

export function curveDash(index, dashed) {
    const group = Math.floor(index / light.curves.length) + (dashed ? 1 : 0);
    return dashes[group % dashes.length];
}
