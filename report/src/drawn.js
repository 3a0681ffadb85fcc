// A robot drawn from its joints and links: tubes between joints, drums on turning axes, blocks on sliding ones.
import {
    BoxGeometry, CapsuleGeometry, Curve, CylinderGeometry, Group, Mesh, MeshStandardMaterial, Quaternion, SphereGeometry, TubeGeometry, Vector3,
} from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { skeleton } from "./skeleton.js";
import { onThemeChange, theme } from "./theme.js";

const up = new Vector3(0, 1, 0); // the axis of three's cylinders

function turnedTo(mesh, direction) {
    mesh.quaternion.copy(new Quaternion().setFromUnitVectors(up, direction.clone().normalize()));
    return mesh;
}

export function drawMaterials() {
    const make = (roughness) => new MeshStandardMaterial({ roughness, metalness: 0.1 });
    const materials = { link: [make(0.55), make(0.55)], joint: make(0.45), slide: make(0.45), base: make(0.7) };
    const paint = () => {
        const colors = theme();
        materials.link.forEach((m, i) => m.color.setHex(colors.link[i]));
        for (const name of ["joint", "slide", "base"]) materials[name].color.setHex(colors[name]);
    };
    paint();
    onThemeChange(paint);
    return materials;
}

// Adds the drawn form of the bodies to their groups. Returns what has to be updated as the robot moves, the rods of
// sliding joints, and how far the robot reaches.
export function drawBodies(item, groups, bends, materials) {
    const { bodies, reach } = skeleton(item, bends);
    const deepest = Math.max(1, ...bodies.map((b) => b.depth));
    const rods = [];
    bodies.forEach((b, index) => {
        const group = groups[index];
        const r = radius(b, reach, deepest);
        // a base that carries one joint is drawn with the ground; one that carries several is a frame
        const trunk = index > 0 || b.places.filter(({ joint }) => standsOn(joint)).length > 1;
        if (trunk && index === 0) drawFrame(b, group, 0.5 * r, materials.base);
        const own = bends.filter((bend) => bend.body === index);
        if (own.length) for (const bend of own) drawBent(b, bend, group, r, materials.link[b.depth % 2]);
        else if (trunk && index > 0) drawLink(b, group, r, materials.link[b.depth % 2]);
        if (b.joint) rods.push(...drawJoint(b, group, groups, bends, r, materials));
    });
    return { rods, reach };
}

// What a base carries, other than a body that flies or is held by a link that bends.
function standsOn(joint) {
    return joint.type !== "free" && joint.type !== "fixed";
}

// A link that bends: a tube along its knots, one from the joint to the first of them, and to what is attached beside it.
function drawBent(b, bend, group, r, material) {
    const straight = new Group();
    const { rest } = bend;
    const onLine = (p, before, after) => after.clone().sub(before).cross(p.clone().sub(before)).length() < 1e-6 * bend.length ** 2;
    const corners = rest.filter((p, i) => i === 0 || i + 1 === rest.length || !onLine(p, rest[i - 1], rest[i + 1]));
    const ways = corners.slice(1).map((corner, i) => [corners[i], corner]);
    if (b.joint && b.joint.type !== "free") ways.push([b.origin, rest[0]]);
    for (const { point } of b.places) {
        const near = rest.reduce((a, knot) => (knot.distanceTo(point) < a.distanceTo(point) ? knot : a));
        ways.push([near, point]);
    }
    for (const [from, to] of ways) drawTube(straight, from, to, null, 0.6 * r, material);
    bend.add(straight, group);
}

// Thinner towards the ends, and never thicker than a third of the link is long.
function radius(b, reach, deepest) {
    const taper = 1 - 0.55 * ((b.depth - 1) / deepest);
    let r = 0.045 * reach * Math.max(0.4, taper);
    const ends = [...b.places.map((p) => p.point), ...(b.tip ? [b.tip] : [])];
    const longest = Math.max(0, ...ends.map((p) => p.distanceTo(b.origin)));
    if (longest > 0.02 * reach) r = Math.min(r, 0.34 * longest);
    return Math.max(r, 0.006 * reach);
}

function drawLink(b, group, r, material) {
    const free = !b.joint || b.joint.type === "free";
    const points = b.places.map((p) => p.point);
    if (!free) points.unshift(b.origin);
    if (b.tip) points.push(b.tip);
    // a trunk: what many joints sit on is a solid around them
    const spread = distinct(points, 1.5 * r);
    if (spread.length >= 4 || (free && spread.length >= 3)) {
        const solid = hull(spread, r);
        if (solid) {
            group.add(shadowed(new Mesh(solid, material)));
            return;
        }
    }
    if ((free || b.joint.type === "fixed") && spread.length === 1) group.add(shadowed(placed(new Mesh(new SphereGeometry(2 * r, 24, 16), material), spread[0])));
    const from = free ? center(points) : b.origin;
    for (const to of points) drawTube(group, from, to, free ? null : b.axis, r, material);
}

// What the world's own joints sit on: rods from each to the next around them, since a solid would hide what moves in
// front of it or through it.
function drawFrame(b, group, r, material) {
    const points = distinct(b.places.filter(({ joint }) => standsOn(joint)).map((place) => place.point), 1.5 * r);
    const middle = center(points);
    const arms = points.map((point) => point.clone().sub(middle));
    const across = arms.reduce((a, arm) => (arm.length() > a.length() ? arm : a), new Vector3());
    const normals = arms.map((arm) => new Vector3().crossVectors(across, arm));
    const normal = normals.reduce((a, n) => (n.length() > a.length() ? n : a), new Vector3());
    const beside = new Vector3().crossVectors(normal, across).normalize();
    const flat = normal.length() <= 1e-6 * across.lengthSq(); // all on one line
    const angle = (arm) => (flat ? arm.dot(across) : Math.atan2(arm.dot(beside), arm.dot(across) / (across.length() || 1)));
    const around = arms.map((arm, i) => [angle(arm), points[i]]).sort((x, y) => x[0] - y[0]).map(([, point]) => point);
    const closed = around.length > 2 && !flat;
    around.forEach((point, i) => {
        if (i || closed) drawTube(group, around[(i || around.length) - 1], point, null, r, material);
    });
}

function distinct(points, gap) {
    const kept = [];
    for (const p of points) if (kept.every((other) => other.distanceTo(p) > gap)) kept.push(p);
    return kept;
}

function center(points) {
    const middle = new Vector3();
    for (const p of points) middle.add(p);
    return middle.divideScalar(Math.max(1, points.length));
}

function placed(mesh, position) {
    mesh.position.copy(position);
    return mesh;
}

function shadowed(mesh) {
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
}

function hull(points, r) {
    const cloud = [];
    const ball = new SphereGeometry(1.4 * r, 10, 8).getAttribute("position");
    for (const p of points)
        for (let i = 0; i < ball.count; i++) cloud.push(new Vector3().fromBufferAttribute(ball, i).add(p));
    try {
        const solid = new ConvexGeometry(cloud);
        return solid.getAttribute("position").count ? solid : null;
    } catch {
        return null; // points too close to a plane for a solid
    }
}

// As arms are built: first along the joint's own axis, then square to it. Straight where one part is small.
function drawTube(group, from, to, axis, r, material) {
    const way = to.clone().sub(from);
    const length = way.length();
    if (length < 0.2 * r) return;
    let corner = null;
    if (axis) {
        const along = axis.clone().multiplyScalar(way.dot(axis));
        const across = way.clone().sub(along);
        if (along.length() > 1.2 * r && across.length() > 1.2 * r) corner = from.clone().add(along);
    }
    for (const [a, b] of corner ? [[from, corner], [corner, to]] : [[from, to]]) {
        const part = b.clone().sub(a);
        const tube = new Mesh(new CapsuleGeometry(r, part.length(), 8, 24), material);
        tube.position.copy(a).addScaledVector(part, 0.5);
        group.add(shadowed(turnedTo(tube, part)));
    }
}

function drum(radius_, length, material) {
    return shadowed(new Mesh(new CylinderGeometry(radius_, radius_, length, 40), material));
}

function drawJoint(b, group, groups, bends, r, materials) {
    const { type, parent } = b.joint;
    const rods = [];
    const add = (mesh, direction) => group.add(turnedTo(placed(mesh, b.origin), direction));
    if (type === "revolute" || type === "continuous" || type === "helical" || type === "cylindrical") {
        add(drum(1.45 * r, 3.1 * r, materials.joint), b.axis);
        // rings, so that one sees it turn about this axis and not slide
        add(drum(1.52 * r, 0.5 * r, materials.slide), b.axis);
    } else if (type === "universal") {
        const turn = new Quaternion(...b.joint.child_pose.slice(3));
        add(drum(1.3 * r, 3 * r, materials.joint), new Vector3(1, 0, 0).applyQuaternion(turn));
        add(drum(1.3 * r, 3 * r, materials.joint), new Vector3(0, 1, 0).applyQuaternion(turn));
    } else if (type === "spherical") {
        group.add(placed(shadowed(new Mesh(new SphereGeometry(1.7 * r, 32, 20), materials.joint)), b.origin));
    } else if (type === "planar") {
        add(drum(3 * r, 0.5 * r, materials.slide), b.axis);
    }
    if (type === "prismatic" || type === "cylindrical" || type === "helical") {
        // the guide stays on the parent, the rod grows out of it
        const guide = shadowed(new Mesh(new BoxGeometry(2.9 * r, 4.4 * r, 2.9 * r), materials.slide));
        const pose = b.joint.parent_pose;
        const axis = new Vector3(...b.joint.axis).applyQuaternion(new Quaternion(pose[3], pose[4], pose[5], pose[6]));
        guide.position.set(pose[0], pose[1], pose[2]);
        turnedTo(guide, axis);
        bends[b.joint.parent_elastic]?.attach(guide);
        if (type === "prismatic") groups[parent].add(guide);
        const rod = drum(0.8 * r, 1, materials.link[0]);
        group.add(turnedTo(rod, b.axis));
        rods.push({ rod, body: group, origin: b.origin, axis: b.axis, parent: groups[parent], anchor: guide.position });
    }
    return rods;
}

// Pins on the turning joints of a model of bare primitives, as thick as the links that they join, so that one sees
// where it bends. Returns how thick the first one is.
export function drawPins(item, groups, materials) {
    let first = 0;
    for (const joint of item.joints) {
        const shapes = item.visuals.filter((visual) => visual.body === joint.child);
        if (!shapes.length || !["revolute", "continuous"].includes(joint.type)) continue;
        const thickness = (visual) => (visual.shape === "box" ? Math.min(...visual.size) : 2 * visual.size[0]);
        const r = 0.55 * Math.min(...shapes.map(thickness));
        const pose = joint.child_pose;
        const axis = new Vector3(...joint.axis).applyQuaternion(new Quaternion(pose[3], pose[4], pose[5], pose[6]));
        const pin = placed(drum(1.5 * r, 3 * r, materials.joint), new Vector3(pose[0], pose[1], pose[2]));
        groups[joint.child].add(turnedTo(pin, axis));
        if (!joint.parent && !first) first = r;
    }
    return first;
}

// Rods that keep two points apart, and springs between two points, as thin springs of a few turns. They stand in the
// world, between bodies. Returns what has to be updated as the robot moves.
export function drawTies(item, scene, groups, materials, reach) {
    return (item.ties ?? []).map((tie) => {
        const mesh = tie.spring ? coil(0.03 * reach, materials.slide) : drum(0.01 * reach, 1, materials.joint);
        scene.add(mesh);
        return { mesh, from: new Vector3(...tie.from), to: new Vector3(...tie.to), parent: groups[tie.parent], child: groups[tie.child] };
    });
}

// A helix of length 1 along y about the origin, with straight ends.
class Helix extends Curve {
    constructor(r) {
        super();
        this.r = r;
    }

    getPoint(t, point = new Vector3()) {
        const wound = Math.min(1, Math.max(0, (t - 0.12) / 0.76));
        const r = this.r * Math.min(1, 12 * Math.min(wound, 1 - wound));
        const angle = 2 * Math.PI * 9 * wound;
        return point.set(r * Math.cos(angle), t - 0.5, r * Math.sin(angle));
    }
}

function coil(r, material) {
    return shadowed(new Mesh(new TubeGeometry(new Helix(r), 240, 0.2 * r, 6), material));
}

const ends = [new Vector3(), new Vector3()];

// Fits the ties between where their points are now.
export function updateTies(ties) {
    for (const { mesh, from, to, parent, child } of ties) {
        ends[0].copy(from).applyMatrix4(parent.matrixWorld);
        ends[1].copy(to).applyMatrix4(child.matrixWorld);
        mesh.position.copy(ends[0]).add(ends[1]).multiplyScalar(0.5);
        ends[1].sub(ends[0]);
        const length = ends[1].length();
        mesh.visible = length > 1e-9;
        if (!mesh.visible) continue;
        mesh.quaternion.setFromUnitVectors(up, ends[1].divideScalar(length));
        mesh.scale.set(1, length, 1);
        mesh.updateMatrixWorld();
    }
}

const anchor = new Vector3();

// Fits the rods between the guides and where the joints are now.
export function updateRods(rods) {
    for (const { rod, body, origin, axis, parent, anchor: fixed } of rods) {
        anchor.copy(fixed).applyMatrix4(parent.matrixWorld);
        body.worldToLocal(anchor);
        const way = anchor.sub(origin).dot(axis);
        rod.visible = Math.abs(way) > 1e-6;
        if (!rod.visible) continue;
        rod.scale.set(1, Math.abs(way), 1);
        rod.position.copy(origin).addScaledVector(axis, way / 2);
    }
}

// What a robot that is fixed to the world stands on: a column down to the ground under an upright first axis, a wall
// bracket behind a level one, which would swing through a column.
export function drawBase(item, group, materials, ground, upward, reach, r) {
    const box = new Group();
    const joints = item.joints.filter((joint) => joint.parent === 0 && standsOn(joint));
    for (const joint of joints.length === 1 ? joints : []) {
        const pose = joint.parent_pose;
        const place = new Vector3(pose[0], pose[1], pose[2]);
        const axis = new Vector3(...joint.axis).applyQuaternion(new Quaternion(pose[3], pose[4], pose[5], pose[6]));
        const height = place.dot(upward) - ground;
        if (Math.abs(axis.dot(upward)) > 0.7) {
            const foot = place.clone().addScaledVector(upward, -height);
            if (height > 0.02 * reach) {
                const column = new Mesh(new CylinderGeometry(1.7 * r, 2.1 * r, height, 40), materials.base);
                column.position.copy(foot).addScaledVector(upward, height / 2);
                box.add(shadowed(turnedTo(column, upward)));
            }
            const plate = new Mesh(new CylinderGeometry(3.4 * r, 3.6 * r, 0.6 * r, 48), materials.base);
            plate.position.copy(foot).addScaledVector(upward, 0.3 * r);
            box.add(shadowed(turnedTo(plate, upward)));
        } else {
            // behind the robot, on the side that the camera does not look from
            const plate = new Mesh(new BoxGeometry(4.6 * r, 0.7 * r, 4.6 * r), materials.base);
            plate.position.copy(place).addScaledVector(axis, -2.4 * r);
            box.add(shadowed(turnedTo(plate, axis)));
            const pin = new Mesh(new CylinderGeometry(0.8 * r, 0.8 * r, 2.4 * r, 32), materials.base);
            pin.position.copy(place).addScaledVector(axis, -1.2 * r);
            box.add(shadowed(turnedTo(pin, axis)));
        }
    }
    group.add(box);
    return box;
}

