// Many small marks with transparency, put into the pixels of a canvas directly: tens of thousands of drawing calls a frame
// are too many for a canvas without a graphics card behind it.

function channels(color) {
    const x = parseInt(color.slice(1), 16);
    return [(x >> 16) & 255, (x >> 8) & 255, x & 255];
}

export class Raster {
    constructor(width, height) {
        this.width = width;
        this.height = height;
        this.image = new ImageData(width, height);
        this.light = new Float32Array(4 * width * height); // colours times their opacity, and opacity
        this.color("#000000", 1);
    }

    clear() {
        this.light.fill(0);
    }

    color(color, alpha) {
        const [r, g, b] = channels(color);
        this.r = r * alpha;
        this.g = g * alpha;
        this.b = b * alpha;
        this.a = alpha;
    }

    // Rows from `top` up to `bottom` of a column of pixels.
    column(x, top, bottom) {
        const { width, height, light, r, g, b, a } = this;
        if (!(x >= 0 && x < width)) return;
        const rest = 1 - a;
        const end = 4 * (Math.min(bottom, height) * width + x);
        for (let k = 4 * (Math.max(top, 0) * width + x); k < end; k += 4 * width) {
            light[k] = light[k] * rest + r;
            light[k + 1] = light[k + 1] * rest + g;
            light[k + 2] = light[k + 2] * rest + b;
            light[k + 3] = light[k + 3] * rest + a;
        }
    }

    square(x, y, size) {
        const left = Math.round(x - size / 2);
        const top = Math.round(y - size / 2);
        for (let i = 0; i < size; i++) this.column(left + i, top, top + size);
    }

    // From left to right, without the last column, so that lines which follow each other do not overlap.
    line(x0, y0, x1, y1) {
        const first = Math.round(x0);
        const last = Math.round(x1);
        const step = (y1 - y0) / (last - first);
        for (let x = first, here = Math.round(y0); x < last; x++) {
            const next = Math.round(y0 + step * (x + 1 - first));
            if (next > here) this.column(x, here, next);
            else this.column(x, next, next === here ? here + 1 : here);
            here = next;
        }
    }

    put(context) {
        const { light } = this;
        const { data } = this.image;
        for (let k = 0; k < light.length; k += 4) {
            const a = light[k + 3];
            data[k + 3] = 255 * a;
            if (a === 0) continue;
            data[k] = light[k] / a;
            data[k + 1] = light[k + 1] / a;
            data[k + 2] = light[k + 2] / a;
        }
        context.putImageData(this.image, 0, 0);
    }
}
