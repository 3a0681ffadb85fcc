// Numbers as people read them.

const superscripts = "⁰¹²³⁴⁵⁶⁷⁸⁹";

function power(exponent) {
    const digits = String(Math.abs(exponent)).replace(/\d/g, (d) => superscripts[d]);
    return `10${exponent < 0 ? "⁻" : ""}${digits}`;
}

function minus(text) {
    return text.replace("-", "−");
}

// Six significant digits, with a power of ten where zeros would hide the number. What is only rounding beside numbers
// as large as `scale` is zero.
export function format(x, scale = 0) {
    if (x === null || x === undefined || !Number.isFinite(x)) return "–";
    const magnitude = Math.abs(x);
    if (magnitude <= 1e-14 * scale || x === 0) return "0";
    if (magnitude >= 1e-4 && magnitude < 1e6) return minus(String(Number(x.toPrecision(6))));
    const [mantissa, exponent] = x.toExponential(3).split("e");
    return `${minus(String(Number(mantissa)))}×${power(Number(exponent))}`;
}

// "rad/s^2" as rad/s².
export function prettyUnit(unit) {
    return unit.replace(/\^(\d)/g, (_, digit) => superscripts[digit]);
}

// Labels of an axis: as many decimals as its step asks for, and one power of ten for all when they are tiny or huge.
export function tickLabels(ticks, step) {
    const largest = Math.max(...ticks.map((x) => Math.abs(x ?? 0)));
    if (largest === 0) return ticks.map(() => "0");
    let exponent = Math.floor(Math.log10(largest) + 1e-9);
    if (exponent >= -3 && exponent < 5) exponent = 0;
    // as many decimals for all as the one that needs most: 0.25 beside 0.50
    const unit = 10 ** exponent;
    const needs = (x) => {
        let digits = 0;
        while (digits < 12 && Math.abs(Number((x / unit).toFixed(digits)) - x / unit) > (step / unit) * 1e-3) digits++;
        return digits;
    };
    const digits = Math.max(...ticks.map((x) => needs(x ?? 0)));
    return ticks.map((x) => {
        if (x === null || x === undefined) return "";
        if (Math.abs(x) < step * 1e-6) return "0";
        return minus((x / unit).toFixed(digits)) + (exponent ? `×${power(exponent)}` : "");
    });
}

// Labels of a logarithmic axis: powers of ten, and what lies between them only when there are few.
export function logLabels(ticks) {
    const shown = ticks.filter((x) => x !== null && x > 0);
    const decades = shown.length ? Math.log10(shown[shown.length - 1] / shown[0]) : 0;
    const plain = shown.every((x) => x >= 1e-3 && x <= 1e5);
    return ticks.map((x) => {
        if (x === null || !(x > 0)) return "";
        const exponent = Math.round(Math.log10(x));
        const leading = x / 10 ** exponent;
        if (Math.abs(leading - 1) < 1e-6) {
            if (plain) return String(Number((10 ** exponent).toPrecision(1)));
            return power(exponent);
        }
        const digit = Math.round(x / 10 ** Math.floor(Math.log10(x) + 1e-9));
        return decades < 1.6 && (digit === 2 || digit === 5) ? format(Number(x.toPrecision(1))) : "";
    });
}

// Time to as many digits as the whole duration deserves.
export function formatTime(t, duration) {
    const decimals = duration > 0 ? Math.min(6, Math.max(0, 3 - Math.floor(Math.log10(duration)))) : 3;
    return minus(t.toFixed(decimals));
}
