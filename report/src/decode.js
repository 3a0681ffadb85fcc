// What the command packed: the document, and arrays of numbers as base64 of little-endian floats.

export function readDocument() {
    return JSON.parse(document.getElementById("document").textContent);
}

export function bytes(base64) {
    const text = atob(base64);
    const out = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) out[i] = text.charCodeAt(i);
    return out;
}

// A typed array of the numbers; {f32: base64} or {f64: base64}.
export function numbers(packed) {
    const raw = bytes(packed.f64 ?? packed.f32);
    return packed.f64 !== undefined ? new Float64Array(raw.buffer) : new Float32Array(raw.buffer);
}

// What uPlot draws: null, a gap, in place of what is not finite or fails a test.
export function withGaps(values, keep = Number.isFinite) {
    return values.every(keep) ? values : Array.from(values, (x) => (keep(x) ? x : null));
}
