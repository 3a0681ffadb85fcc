// The three-dimensional scene: the robot, light, ground, camera. No buttons here.
import {
    Box3, BufferGeometry, DirectionalLight, Float32BufferAttribute, Group, HemisphereLight, LineBasicMaterial, LineSegments, Matrix4, Mesh, NeutralToneMapping,
    PCFShadowMap, PerspectiveCamera, PlaneGeometry, Quaternion, Raycaster, Scene, ShadowMaterial, Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import { bends } from "./bend.js";
import { Contacts } from "./contacts.js";
import { drawBase, drawBodies, drawMaterials, drawPins, drawTies, updateRods, updateTies } from "./drawn.js";
import { Path, frameMarks, jointMarks, massMark } from "./marks.js";
import { Thrusters } from "./thrusters.js";
import { Motion } from "./motion.js";
import { addShapes } from "./shapes.js";
import { onThemeChange, theme } from "./theme.js";

// Whether the browser can draw in three dimensions, asked without a word on the console.
export function canDraw() {
    try {
        const context = document.createElement("canvas").getContext("webgl2");
        context?.getExtension("WEBGL_lose_context")?.loseContext();
        return Boolean(context);
    } catch {
        return false;
    }
}

function cornersOf(box) {
    const { min, max } = box;
    return Array.from({ length: 8 }, (_, i) => new Vector3(i & 1 ? max.x : min.x, i & 2 ? max.y : min.y, i & 4 ? max.z : min.z));
}

// The next 1, 2 or 5 times a power of ten above x.
function roundLength(x) {
    const power = 10 ** Math.floor(Math.log10(x));
    return power * [1, 2, 5, 10].find((digit) => digit * power >= x * (1 - 1e-9));
}

// The run that was chosen among many is framed with its whole motion, up to so many times its size.
const REPLAYED = 12;

export class RobotScene {
    constructor(item, canvas) {
        this.item = item;
        this.motion = new Motion(item);
        this.up = new Vector3(...item.up);
        this.notes = [];
        this.trace = null;
        this.follow = false;
        this.looks = item.bodies.map(() => "solid");
        this.glasses = new Map();
        this.index = 0;
        this.part = 0;
        this.scene = new Scene();
        this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
        this.renderer.setPixelRatio(Math.min(2, window.devicePixelRatio || 1));
        this.renderer.toneMapping = NeutralToneMapping; // white links keep their shading
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = PCFShadowMap;
        this.buildRobot();
        this.measure();
        this.buildSurroundings();
        this.buildMarks();
        this.buildCamera(canvas);
        this.paint();
        onThemeChange(() => this.paint());
        window.addEventListener("beforeprint", () => this.draw());
    }

    // Each body has a group that moves, with its shapes and its drawn form in two of their own.
    buildRobot() {
        const { item } = this;
        const group = () => item.bodies.map(() => new Group());
        this.bodies = group();
        const shapes = group();
        const drawn = group();
        this.bodies.forEach((body, i) => {
            body.userData.body = i;
            body.add(shapes[i], drawn[i]);
            this.scene.add(body);
        });
        this.shapes = shapes;
        this.drawn = drawn;
        this.materials = drawMaterials();
        this.bends = bends(item);
        const plain = this.plainPaint();
        const { shaped, failed } = addShapes(item, shapes, this.bends, plain);
        if (plain && item.visuals.every((visual) => visual.shape !== "mesh")) this.pin = drawPins(item, shapes, this.materials);
        for (const name of failed) this.notes.push(`The mesh ${name} cannot be read.`);
        const { rods, reach } = drawBodies(item, drawn, this.bends, this.materials);
        this.rods = rods;
        this.reach = reach;
        this.ties = drawTies(item, this.scene, this.bodies, this.materials, reach);

        // bodies without any shape in the model stay invisible, unless that hides most of the robot
        const missing = new Set(item.visuals.filter((v) => v.shape === "mesh" && v.mesh === null).map((v) => v.body));
        const moving = [...shaped].filter((i) => i > 0).length;
        const few = moving < this.motion.bodies / 2;
        this.hasShapes = shaped.size > 0;
        // a body that lost its meshes is drawn even where a primitive marks something on it
        const carried = new Set(item.visuals.filter((v) => v.shape === "mesh" && v.mesh !== null).map((v) => v.body));
        const bent = new Set(this.bends.map((bend) => bend.body)); // the world is one where a beam is clamped to it
        this.substitute = drawn.map((_, i) => (missing.has(i) && !carried.has(i)) || ((few || bent.has(i)) && !shaped.has(i)));
        this.showDrawn(false);
    }

    // A model that gives all its shapes one colour means none: then links alternate as in the drawn form.
    plainPaint() {
        const { visuals } = this.item;
        const first = visuals[0]?.rgba.join();
        if (!visuals.length || visuals.some((v) => v.rgba.join() !== first)) return null;
        return (visual) => this.materials.link[visual.body % 2];
    }

    showDrawn(all) {
        this.allDrawn = all || !this.hasShapes;
        this.showBodies();
    }

    showBodies() {
        const there = (i) => this.looks[i] !== "hidden";
        this.shapes.forEach((group, i) => (group.visible = !this.allDrawn && there(i)));
        this.drawn.forEach((group, i) => (group.visible = (this.allDrawn || this.substitute[i]) && there(i)));
        if (this.base) this.base.visible = this.baseShown();
        this.requestDraw();
    }

    baseShown() {
        return this.looks[0] !== "hidden" && (this.allDrawn || this.substitute[0] || Boolean(this.pin));
    }

    // How a body looks: "solid", "translucent" or "hidden".
    setLook(body, look) {
        this.looks[body] = look;
        const through = look === "translucent";
        for (const group of [this.shapes[body], this.drawn[body], ...(body === 0 && this.base ? [this.base] : [])])
            group.traverse((node) => {
                if (!node.isMesh) return;
                node.userData.solid ??= node.material;
                const { solid } = node.userData;
                node.material = !through ? solid : Array.isArray(solid) ? solid.map((m) => this.glass(m)) : this.glass(solid);
                node.castShadow = !through;
            });
        this.showBodies();
    }

    // The same material, seen through.
    glass(material) {
        if (!this.glasses.has(material)) {
            const glass = material.clone();
            Object.assign(glass, { transparent: true, opacity: 0.3 * material.opacity, depthWrite: false });
            this.glasses.set(material, glass);
        }
        return this.glasses.get(material);
    }

    // The corners of what is seen of each body, in its own frame.
    corners() {
        const inverse = new Matrix4();
        return this.bodies.map((body, i) => {
            const box = new Box3();
            inverse.copy(body.matrixWorld).invert();
            for (const group of [this.shapes[i], this.drawn[i]]) {
                if (!group.visible) continue;
                group.traverse((node) => {
                    if (!node.isMesh) return;
                    if (!node.geometry.boundingBox) node.geometry.computeBoundingBox();
                    const local = node.geometry.boundingBox.clone().applyMatrix4(new Matrix4().multiplyMatrices(inverse, node.matrixWorld));
                    box.union(local);
                });
            }
            return box.isEmpty() ? [] : cornersOf(box);
        });
    }

    // What the robot takes up along its whole motion, by a few dozen instants of it.
    measure() {
        const count = this.motion.t.length;
        const step = Math.max(1, Math.floor(count / 40));
        const replays = this.item.kind === "replay";
        this.place(0, 0);
        const corners = this.corners();
        const here = new Box3();
        this.box = new Box3();
        this.points = [];
        this.arrowEnds = [];
        this.size = 0;
        // a sliding joint that nothing stops may grow without end: what is framed is the motion until then
        let whole = 0;
        this.runsAway = false;
        for (let i = 0; i < count; i += step) {
            this.place(i, 0);
            here.makeEmpty();
            const bent = this.bends.flatMap((bend) => bend.rest.map((p, k) => p.clone().applyMatrix4(bend.moved[k]).applyMatrix4(this.bodies[bend.body].matrixWorld)));
            const points = bent.concat(corners.flatMap((list, k) => list.map((corner) => corner.clone().applyMatrix4(this.bodies[k].matrixWorld))));
            for (const point of points) here.expandByPoint(point);
            const span = here.isEmpty() ? 0 : here.getSize(new Vector3()).length();
            if (i === 0) {
                this.firstBox = here.clone();
                this.firstPoints = points;
            } else if (span > (replays ? REPLAYED : 2.2) * Math.max(this.reach, this.firstBox.isEmpty() ? 0 : this.firstBox.getSize(new Vector3()).length())) {
                this.runsAway = true;
                break;
            }
            this.points.push(...points);
            this.size = Math.max(this.size, span);
            this.box.union(here);
            whole = i;
        }
        const traced = this.item.frames[this.item.trace];
        if (traced) {
            const path = this.pathOf(traced);
            for (let i = 0; i <= whole; i += step) this.points.push(new Vector3().fromArray(path, 3 * i));
        }
        if (this.box.isEmpty()) {
            this.box = this.firstBox = new Box3(new Vector3(-0.5, -0.5, -0.5), new Vector3(0.5, 0.5, 0.5));
            this.points = this.firstPoints = cornersOf(this.box);
        }
        this.size = Math.max(this.size, 1e-6);
        if (this.item.thrusters) {
            // arrows belong to the picture, but do not make the robot larger
            this.thrusters = new Thrusters(this.item, this.bodies, this.bends, this.size);
            for (let i = 0; i <= whole; i += step) {
                this.place(i, 0);
                this.arrowEnds.push(...this.thrusters.ends(i));
            }
        }
        // a robot that walks away is framed where it starts, and the camera can follow it
        this.travels = this.box.getSize(new Vector3()).length() > (replays ? REPLAYED : 2.5) * this.size;
        this.place(0, 0);
        this.start = this.root(new Vector3());
    }

    buildSurroundings() {
        // the ground is at zero, or under what reaches below it; not under an arm that falls out of itself, whose column
        // would dwarf it
        const lowest = this.runsAway ? this.firstPoints : this.points;
        const low = Math.min(...lowest.map((point) => point.dot(this.up)));
        this.ground = low > -0.05 * this.size ? Math.min(0, low) : low - 0.02 * this.size;
        if (low > 1.5 * this.size) this.ground = low - 0.1 * this.size;
        if (this.ground > -1e-3 * this.size) this.ground = Math.min(this.ground, 0);
        if (!this.shapes[0].children.length || this.substitute[0]) {
            const r = this.pin || 0.045 * this.reach;
            this.base = drawBase(this.item, this.bodies[0], this.materials, this.ground, this.up, this.reach, r);
            this.base.visible = this.baseShown();
        }

        const turn = new Quaternion().setFromUnitVectors(new Vector3(0, 0, 1), this.up);
        const whole = this.box.getSize(new Vector3()).length();
        const extent = 1.6 * Math.max(this.size, whole > 2.5 * this.size ? whole : this.size);
        const cell = roundLength(this.size / 7);
        const center = this.box.getCenter(new Vector3());
        center.addScaledVector(this.up, -center.dot(this.up));
        this.floor = new Group();
        this.floor.add(this.grid(Math.ceil(extent / cell), cell));
        this.shade = new Mesh(new PlaneGeometry(2.4 * extent, 2.4 * extent), new ShadowMaterial({ opacity: 0.2 }));
        this.shade.receiveShadow = true;
        this.floor.add(this.shade);
        this.floor.quaternion.copy(turn);
        const snap = center.clone().applyQuaternion(turn.clone().invert());
        snap.set(Math.round(snap.x / cell) * cell, Math.round(snap.y / cell) * cell, this.ground - 2e-3 * this.size);
        this.floor.position.copy(snap.applyQuaternion(turn));
        this.scene.add(this.floor);

        this.sky = new HemisphereLight(0xffffff, 0xffffff, 1.9);
        this.sky.position.copy(this.up);
        this.scene.add(this.sky);
        this.sun = new DirectionalLight(0xffffff, 2.0);
        this.sun.castShadow = true;
        this.sun.shadow.mapSize.set(2048, 2048);
        this.sun.shadow.bias = -4e-4;
        this.sun.shadow.normalBias = 0.004 * this.size;
        this.scene.add(this.sun, this.sun.target);
        this.aimSun(this.travels ? this.firstBox.getCenter(new Vector3()) : this.box.getCenter(new Vector3()));
        // from behind the camera, to soften the dark side
        this.fill = new DirectionalLight(0xffffff, 0.5);
        this.scene.add(this.fill, this.fill.target);
    }

    aimSun(target) {
        const { across, ahead } = this.sides();
        const half = 1.3 * this.size;
        this.sun.target.position.copy(target);
        this.sun.position.copy(target).addScaledVector(this.up, 2.2 * this.size)
            .addScaledVector(across, 0.9 * this.size).addScaledVector(ahead, 1.1 * this.size);
        Object.assign(this.sun.shadow.camera, { left: -half, right: half, top: half, bottom: -half, near: 0.05 * this.size, far: 6 * this.size });
        this.sun.shadow.camera.updateProjectionMatrix();
    }

    // Lines that fade towards the edge would need a shader; a square of faint ones will do.
    grid(cells, cell) {
        const vertices = [];
        const half = cells * cell;
        for (let i = -cells; i <= cells; i++) {
            vertices.push(i * cell, -half, 0, i * cell, half, 0, -half, i * cell, 0, half, i * cell, 0);
        }
        const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(vertices, 3));
        this.gridLines = new LineSegments(geometry, new LineBasicMaterial({ transparent: true, opacity: 0.45 }));
        return this.gridLines;
    }

    buildMarks() {
        this.frames = frameMarks(this.item, this.bodies, this.bends, 0.11 * this.reach);
        this.axes = jointMarks(this.item, this.bodies, 0.22 * this.reach);
        this.mass = null;
        if (this.item.contacts) {
            this.contacts = new Contacts(this.item.contacts, this.size, this.up);
            this.scene.add(this.contacts.group);
            this.contacts.show(0, 0);
        }
        this.thrusters?.show(0, 0);
        if (!this.motion.com) return;
        this.mass = massMark(0.018 * this.size, theme().mass);
        this.massPath = new Path(this.motion.com, theme().mass, 2.5);
        this.mass.visible = this.massPath.group.visible = false;
        this.scene.add(this.mass, this.massPath.group);
    }

    // Directions on the ground: `ahead` towards the camera, `across` to its right.
    sides() {
        if (this.sideDirections) return this.sideDirections;
        // all axes level and parallel: a planar mechanism, seen from along them
        const axes = this.item.joints.filter((j) => j.type === "revolute" || j.type === "continuous").map((j) => j.world_axis);
        const planar = axes.length > 0 && axes.every((a) => Math.abs(new Vector3(...a).dot(new Vector3(...axes[0]))) > 0.999);
        let ahead = planar ? new Vector3(...axes[0]) : null;
        if (ahead && Math.abs(ahead.dot(this.up)) > 0.1) ahead = null;
        this.planar = Boolean(ahead);
        if (!ahead) {
            const seed = Math.abs(this.up.z) > 0.9 ? new Vector3(0.8, -1, 0) : new Vector3(0.55, 0.35, 1);
            ahead = seed.addScaledVector(this.up, -seed.dot(this.up)).normalize();
        }
        const across = new Vector3().crossVectors(this.up, ahead).normalize();
        this.sideDirections = { ahead, across };
        return this.sideDirections;
    }

    buildCamera(canvas) {
        const seen = this.travels ? this.size : Math.max(this.size, 0.4 * this.box.getSize(new Vector3()).length());
        this.camera = new PerspectiveCamera(32, 1, 0.01 * this.size, 60 * seen);
        this.camera.up.copy(this.up);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.minDistance = 0.1 * this.size;
        this.controls.maxDistance = 20 * seen;
        this.controls.addEventListener("change", () => this.requestDraw());
        this.resetView();
    }

    // Frames the whole motion, or where it starts when it leaves, or where it is when it is followed.
    resetView() {
        const points = this.travels ? [...this.firstPoints, ...this.arrowEnds.slice(0, this.thrusters?.list.length ?? 0)] : [...this.points, ...this.arrowEnds];
        const { ahead, across } = this.sides();
        const direction = this.planar
            ? ahead.clone().addScaledVector(this.up, 0.18).addScaledVector(across, 0.22)
            : ahead.clone().addScaledVector(this.up, 0.42);
        direction.normalize();
        const target = this.frame(points, direction);
        if (this.follow && this.travels) target.center.add(this.root(new Vector3()).sub(this.start));
        this.controls.target.copy(target.center);
        this.camera.position.copy(target.center).addScaledVector(direction, target.distance);
        this.anchor = this.root(new Vector3());
        this.controls.update();
        this.requestDraw();
    }

    // Where to look from that direction, and from how far, for all points to be in the picture.
    frame(points, direction) {
        const right = new Vector3().crossVectors(this.up, direction).normalize();
        const above = new Vector3().crossVectors(direction, right);
        const range = (axis) => {
            const values = points.map((point) => point.dot(axis));
            return [Math.min(...values), Math.max(...values)];
        };
        const middle = (axis) => range(axis).reduce((a, b) => (a + b) / 2);
        const center = new Vector3().addScaledVector(right, middle(right)).addScaledVector(above, middle(above))
            .addScaledVector(direction, middle(direction));
        const tall = Math.tan((this.camera.fov * Math.PI) / 360) * 0.86;
        const wide = tall * this.camera.aspect;
        let distance = 0.3 * this.size;
        for (const point of points) {
            const way = point.clone().sub(center);
            const depth = way.dot(direction);
            distance = Math.max(distance, depth + Math.abs(way.dot(right)) / wide, depth + Math.abs(way.dot(above)) / tall);
        }
        return { center, distance };
    }

    root(out) {
        return this.motion.bodies > 0 ? out.copy(this.bodies[1].position) : out.set(0, 0, 0);
    }

    place(index, part) {
        this.index = index;
        this.part = part;
        for (let i = 1; i < this.bodies.length; i++) this.motion.pose(i, index, part, this.bodies[i].position, this.bodies[i].quaternion);
        for (const bend of this.bends) bend.show(index, part);
        this.scene.updateMatrixWorld();
        updateRods(this.rods);
        updateTies(this.ties);
    }

    setTime(t) {
        const [index, part] = this.motion.locate(t);
        this.place(index, part);
        if (this.mass) {
            this.motion.centerOfMass(index, part, this.mass.position);
            this.massPath.show(index, part);
        }
        this.trace?.show(index, part);
        this.contacts?.show(index, part);
        this.thrusters?.show(index, part);
        if (this.follow) {
            const now = this.root(new Vector3());
            const way = now.clone().sub(this.anchor);
            this.camera.position.add(way);
            this.controls.target.add(way);
            this.anchor.copy(now);
            this.aimSun(this.controls.target);
            this.controls.update();
        }
        this.requestDraw();
    }

    setFollow(on) {
        this.follow = on;
        this.anchor = this.root(new Vector3());
        this.requestDraw();
    }

    // Where a frame's origin is at every instant.
    pathOf({ pose, body, elastic }) {
        const point = new Vector3(pose[0], pose[1], pose[2]);
        return elastic === undefined ? this.motion.path(body, point) : this.bends[elastic].path(point, this.motion);
    }

    // The way of a frame's origin; null for none.
    setTrace(frame) {
        this.trace?.dispose();
        this.trace = null;
        if (frame) {
            this.trace = new Path(this.pathOf(frame), theme().trace, 3);
            for (const bend of this.bends) bend.place(this.index, this.part);
            this.trace.show(this.index, this.part);
            this.scene.add(this.trace.group);
        }
        this.requestDraw();
    }

    showMass(on) {
        this.mass.visible = this.massPath.group.visible = on;
        this.requestDraw();
    }

    show(objects, on) {
        for (const object of objects) object.visible = on;
        this.requestDraw();
    }

    paint() {
        const colors = theme();
        for (const [material, glass] of this.glasses) if (material.color) glass.color.copy(material.color);
        this.sky.color.setHex(colors.sky);
        this.sky.groundColor.setHex(colors.soil);
        this.gridLines.material.color.setHex(colors.gridLine);
        this.shade.material.opacity = colors.shadow;
        this.trace?.setColor(colors.trace);
        this.contacts?.paint();
        this.thrusters?.paint();
        this.mass?.paint(colors.mass);
        this.massPath?.setColor(colors.mass);
        this.requestDraw();
    }

    // The link under a point of the canvas, -1 for none.
    bodyAt(x, y) {
        const ray = new Raycaster();
        ray.setFromCamera(new Vector2(x, y), this.camera);
        const seen = [];
        this.shapes.forEach((group) => group.visible && seen.push(group));
        this.drawn.forEach((group) => group.visible && seen.push(group));
        const hit = ray.intersectObjects(seen, true).find((h) => h.object.visible);
        let node = hit?.object;
        while (node && node.userData.body === undefined) node = node.parent;
        return node ? node.userData.body : -1;
    }

    resize(width, height) {
        this.renderer.setSize(width, height, false);
        const first = !this.sized;
        this.camera.aspect = width / Math.max(1, height);
        this.camera.updateProjectionMatrix();
        this.sized = true;
        if (first) this.resetView();
        this.requestDraw();
    }

    requestDraw() {
        if (this.pending || !this.camera) return;
        this.pending = true;
        requestAnimationFrame(() => {
            this.pending = false;
            this.draw();
        });
    }

    draw() {
        this.fill.position.copy(this.camera.position);
        this.fill.target.position.copy(this.controls.target);
        this.renderer.render(this.scene, this.camera);
    }
}
