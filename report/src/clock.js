// The time that playback and plots of a section share.

export class Clock {
    constructor(start, end) {
        this.start = start;
        this.end = end;
        this.time = start;
        this.speed = 1;
        this.repeat = false;
        this.playing = false;
        this.timeListeners = [];
        this.stateListeners = [];
        this.last = null;
    }

    onTime(listener) {
        this.timeListeners.push(listener);
        listener(this.time);
    }

    onState(listener) {
        this.stateListeners.push(listener);
        listener(this.playing);
    }

    set(time) {
        this.time = Math.min(this.end, Math.max(this.start, time));
        for (const listener of this.timeListeners) listener(this.time);
    }

    play() {
        if (this.playing || !(this.end > this.start)) return;
        if (this.time >= this.end) this.set(this.start);
        this.playing = true;
        this.last = null;
        this.tell();
        requestAnimationFrame((now) => this.tick(now));
    }

    pause() {
        if (!this.playing) return;
        this.playing = false;
        this.tell();
    }

    toggle() {
        if (this.playing) this.pause();
        else this.play();
    }

    tell() {
        for (const listener of this.stateListeners) listener(this.playing);
    }

    tick(now) {
        if (!this.playing) return;
        // a tab that was hidden must not jump ahead when it is shown again
        const elapsed = this.last === null ? 0 : Math.min(0.1, (now - this.last) / 1000);
        this.last = now;
        let next = this.time + elapsed * this.speed;
        if (next >= this.end) {
            if (this.repeat) next = this.start + ((next - this.start) % (this.end - this.start));
            else this.pause();
        }
        this.set(next);
        if (this.playing) requestAnimationFrame((later) => this.tick(later));
    }
}

// The number of the last entry not above x in sorted numbers; 0 when all are above.
export function indexBelow(sorted, x) {
    let low = 0;
    let high = sorted.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (sorted[middle] <= x) low = middle;
        else high = middle - 1;
    }
    return low;
}
