// The run that was chosen among many, by a click on its point or on its row: its numbers, the command that makes it
// again, and its motion where the page has it.
import { Clock } from "./clock.js";
import { numbers } from "./decode.js";
import { append, button, element } from "./dom.js";
import { makePlayback } from "./playback.js";

const replays = new Map(); // of runs whose motion is on the page
const listeners = [];

export function addReplay(item) {
    replays.set(item.run, item);
}

export function hasReplay(run) {
    return replays.has(run);
}

export function chooseRun(run) {
    for (const listener of listeners) listener(run);
}

// The clipboard is not there for pages from a file in every browser: then the text is selected.
function copy(code, done) {
    const select = () => {
        const range = document.createRange();
        range.selectNodeContents(code);
        const selection = window.getSelection();
        selection.removeAllRanges();
        selection.addRange(range);
        done(document.execCommand("copy") ? "copied" : "selected");
    };
    if (!navigator.clipboard) select();
    else navigator.clipboard.writeText(code.textContent).then(() => done("copied"), select);
}

// describe(run): what the page knows of it.
export function makeChosen(command, describe) {
    const root = element("div", "chosen");
    root.hidden = true;
    let clock = null;
    let scene = null;
    listeners.push((run) => {
        // a browser has few contexts of WebGL: that of the run before is given back
        clock?.pause();
        scene?.renderer.dispose();
        scene?.renderer.forceContextLoss();
        clock = scene = null;
        const code = element("code", "", `${command} --only ${run} -o run-${run}.h5`);
        const told = element("span", "readout");
        const again = append(
            element("p", "again"),
            code,
            button("Copy", "Copy the command that makes this run again", () => copy(code, (text) => (told.textContent = text))),
            told,
        );
        root.replaceChildren(element("h3", "", `Run ${run}`), element("p", "readout", describe(run)), again);
        root.hidden = false;
        const item = replays.get(run);
        if (item) {
            const t = numbers(item.t);
            clock = new Clock(t[0], t[t.length - 1]);
            const playback = makePlayback(item, clock);
            scene = playback.scene;
            root.appendChild(playback.root);
            clock.toggle();
        }
        root.scrollIntoView({ block: "nearest" });
    });
    return root;
}
