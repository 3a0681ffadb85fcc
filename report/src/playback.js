// The playback of a motion: the scene with its buttons. Without WebGL only the buttons, which still move the plots.
import { append, button, checkbox, choice, element } from "./dom.js";
import { formatTime } from "./format.js";
import { RobotScene, canDraw } from "./scene.js";

const speeds = [["0.1", "0.1×"], ["0.25", "0.25×"], ["0.5", "0.5×"], ["1", "1×"], ["2", "2×"], ["5", "5×"], ["10", "10×"]];

// Play, slider, time, speed.
function transport(clock) {
    const duration = clock.end - clock.start;
    const bar = element("div", "transport");
    const play = button("", "Play (space)", () => clock.toggle());
    play.classList.add("play");
    const slider = element("input", "slider");
    slider.type = "range";
    slider.min = clock.start;
    slider.max = clock.end;
    slider.step = "any";
    slider.setAttribute("aria-label", "Time");
    slider.addEventListener("input", () => {
        clock.pause();
        clock.set(Number(slider.value));
    });
    // the page's own keys step through time; the slider's would do it a second time
    slider.addEventListener("keydown", (event) => {
        if (event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End") event.preventDefault();
    });
    const readout = element("output", "time");
    clock.onTime((t) => {
        slider.value = t;
        readout.textContent = `${formatTime(t, duration)} s`;
    });
    clock.onState((playing) => {
        play.dataset.state = playing ? "playing" : "paused";
        play.title = playing ? "Pause (space)" : "Play (space)";
        play.setAttribute("aria-label", play.title);
    });
    const speed = choice("Speed", speeds, "1", (value) => (clock.speed = Number(value)));
    const repeat = checkbox("Repeat", false, (on) => (clock.repeat = on));
    return append(bar, play, slider, readout, speed, repeat);
}

// What to show beside the robot.
function options(scene, item) {
    const bar = element("div", "options");
    append(bar,
        checkbox("Frames", false, (on) => scene.show(scene.frames, on)),
        checkbox("Joint axes", false, (on) => scene.show(scene.axes, on)),
        scene.mass ? checkbox("Centre of mass", false, (on) => scene.showMass(on)) : null,
        checkbox("Ground", true, (on) => scene.show([scene.floor], on)));
    if (scene.contacts)
        append(bar,
            checkbox("Contact forces", true, (on) => scene.show(scene.contacts.forces, on)),
            checkbox("Friction cones", false, (on) => scene.show([scene.contacts.cones], on)),
            checkbox("Support polygon", false, (on) => scene.show([scene.contacts.support], on)));
    if (scene.thrusters) append(bar, checkbox("Thrusters", true, (on) => scene.show(scene.thrusters.forces, on)));
    if (scene.hasShapes) append(bar, checkbox("Joints and links", false, (on) => scene.showDrawn(on)));
    const free = item.joints.some((joint) => joint.type === "free" && !joint.loop);
    // what travels would leave the picture
    const follow = free && scene.travels;
    if (free) append(bar, checkbox("Follow", follow, (on) => scene.setFollow(on)));
    if (follow) scene.setFollow(true);
    append(bar, traceChoice(scene, item), ...lookChoices(scene, item));
    return bar;
}

// Which link, and how it looks: what is in the way can be seen through, or taken away.
function lookChoices(scene, item) {
    let chosen = -1;
    const looks = choice("look", [["solid", "solid"], ["translucent", "translucent"], ["hidden", "hidden"]], "solid", (look) => {
        item.bodies.forEach((_, i) => (chosen < 0 || i === chosen) && scene.setLook(i, look));
    });
    const list = [["-1", "all"], ...item.bodies.map((body, i) => [String(i), body.name])];
    const links = choice("Links", list, "-1", (value) => {
        chosen = Number(value);
        looks.querySelector("select").value = chosen < 0 ? "solid" : scene.looks[chosen];
    });
    return [links, looks];
}

function traceChoice(scene, item) {
    const list = [["-1", "none"], ...item.frames.map((frame, i) => [String(i), frame.name])];
    const start = String(item.trace ?? -1);
    scene.setTrace(item.frames[Number(start)] ?? null);
    return choice("Trace", list, start, (value) => scene.setTrace(item.frames[Number(value)] ?? null));
}

// The name of what the mouse is on.
function nameOnHover(canvas, box, scene, item) {
    const tip = element("div", "tip");
    tip.hidden = true;
    box.appendChild(tip);
    canvas.addEventListener("pointermove", (event) => {
        if (event.pointerType !== "mouse" || event.buttons) {
            tip.hidden = true;
            return;
        }
        const area = canvas.getBoundingClientRect();
        const x = event.clientX - area.left;
        const y = event.clientY - area.top;
        const body = scene.bodyAt((2 * x) / area.width - 1, 1 - (2 * y) / area.height);
        tip.hidden = body <= 0;
        if (tip.hidden) return;
        const joint = item.joints.find((j) => !j.loop && j.child === body);
        tip.textContent = item.bodies[body].name + (joint ? ` · ${joint.name} (${joint.type})` : "");
        tip.style.transform = `translate(${Math.min(x + 14, area.width - 20)}px, ${y + 14}px)`;
    });
    canvas.addEventListener("pointerleave", () => (tip.hidden = true));
}

// The scene, or null where the browser has no WebGL or loses it at once.
function makeScene(item, canvas) {
    if (!canDraw()) return null;
    try {
        return new RobotScene(item, canvas);
    } catch {
        return null;
    }
}

export function makePlayback(item, clock) {
    const root = element("div", "playback");
    const view = element("div", "view");
    append(root, view);
    const canvas = element("canvas", "canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `The robot ${item.model} in motion`);
    const scene = makeScene(item, canvas);
    if (!scene) {
        view.classList.add("view-none");
        view.appendChild(element("p", "", "This browser has no WebGL, so the robot cannot be shown in three dimensions. The plots work without it."));
        append(root, transport(clock));
        return { root, scene: null };
    }
    view.appendChild(canvas);
    const lost = element("p", "note lost", "The browser has taken WebGL away. The picture comes back when it gives it back, or when the page is loaded again.");
    canvas.addEventListener("webglcontextlost", () => view.appendChild(lost));
    canvas.addEventListener("webglcontextrestored", () => lost.remove());
    new ResizeObserver(() => scene.resize(view.clientWidth, view.clientHeight)).observe(view);
    view.appendChild(button("Reset view", "Reset view", () => scene.resetView())).classList.add("reset");
    nameOnHover(canvas, view, scene, item);
    append(root, transport(clock), options(scene, item));
    for (const note of scene.notes) root.appendChild(element("p", "note", note));
    clock.onTime((t) => scene.setTime(t));
    return { root, scene };
}
