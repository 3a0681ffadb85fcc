// Where a robot has joints, and what joins them: what is known of it when no shape is.
import { Quaternion, Vector3 } from "three";

const vector = (a) => new Vector3(a[0], a[1], a[2]);

// Each body with its joint and the places where other joints sit on it, all in the body's frame:
//   {joint, origin, axis, places: [{point, axis, joint}], tip, depth, size}
export function skeleton(item, bends) {
    const bodies = item.bodies.map((body) => ({ body, joint: null, origin: new Vector3(), axis: null, places: [], tip: null, depth: 0 }));
    for (const joint of item.joints) {
        const axisOf = (pose) => vector(joint.axis).applyQuaternion(new Quaternion(pose[3], pose[4], pose[5], pose[6]));
        bodies[joint.parent].places.push({ point: vector(joint.parent_pose), axis: axisOf(joint.parent_pose), joint });
        const child = bodies[joint.child];
        if (joint.loop) {
            child.places.push({ point: vector(joint.child_pose), axis: axisOf(joint.child_pose), joint });
            continue;
        }
        child.joint = joint;
        child.origin = vector(joint.child_pose);
        child.axis = axisOf(joint.child_pose);
    }
    // parents come before their children
    for (const joint of item.joints) if (!joint.loop) bodies[joint.child].depth = bodies[joint.parent].depth + 1;
    for (const bend of bends) bodies[bend.body].tip = bend.tip;
    const reach = lengths(bodies, item);
    for (let i = 1; i < bodies.length; i++) bodies[i].tip ??= tipOf(bodies[i], i, item, reach);
    return { bodies, reach: lengths(bodies, item) };
}

// The longest way along the links from a root to an end.
function lengths(bodies, item) {
    const far = bodies.map((b) => (b.tip ? b.tip.distanceTo(b.origin) : 0));
    for (const joint of [...item.joints].reverse()) {
        if (joint.loop) continue;
        const parent = bodies[joint.parent];
        const from = joint.type === "free" || joint.parent === 0 ? 0 : parent.origin.distanceTo(vector(joint.parent_pose));
        far[joint.parent] = Math.max(far[joint.parent], from + far[joint.child]);
    }
    const reach = Math.max(...far);
    return reach > 0 ? reach : 1;
}

// The end of a body that carries no other: its farthest frame, else twice the way to its mass centre.
function tipOf(b, index, item, reach) {
    if (b.places.length) return null;
    let tip = null;
    let farthest = 0.02 * reach;
    for (const frame of item.frames) {
        if (frame.body !== index) continue;
        const point = vector(frame.pose);
        if (point.distanceTo(b.origin) > farthest) {
            farthest = point.distanceTo(b.origin);
            tip = point;
        }
    }
    if (tip) return tip;
    if (b.joint?.type === "fixed") return null; // a load on a link that bends
    const com = b.body.com ? vector(b.body.com) : b.origin;
    if (com.distanceTo(b.origin) > 0.01 * reach) return com.clone().multiplyScalar(2).sub(b.origin);
    const along = b.axis ?? new Vector3(0, 0, 1);
    return b.origin.clone().addScaledVector(along, 0.06 * reach);
}
