// A recorded motion: poses of the bodies at instants, and between them.
import { Matrix4, Quaternion, Vector3 } from "three";
import { indexBelow } from "./clock.js";
import { numbers } from "./decode.js";

export function poseMatrix(pose) {
    return new Matrix4().compose(new Vector3(pose[0], pose[1], pose[2]),
        new Quaternion(pose[3], pose[4], pose[5], pose[6]), new Vector3(1, 1, 1));
}

export class Motion {
    constructor(item) {
        this.t = numbers(item.t);
        this.poses = numbers(item.poses); // [instant][body 1 ...][x y z, quaternion x y z w]
        this.com = item.com ? numbers(item.com) : null;
        this.bodies = item.bodies.length - 1;
        this.a = new Quaternion();
        this.b = new Quaternion();
    }

    // Puts body `body` (from 1; 0 is the world) of an instant, with a part of the way to the next one.
    pose(body, index, part, position, quaternion) {
        if (body === 0) {
            position.set(0, 0, 0);
            quaternion.identity();
            return;
        }
        const p = this.poses;
        const i = (index * this.bodies + body - 1) * 7;
        position.set(p[i], p[i + 1], p[i + 2]);
        quaternion.set(p[i + 3], p[i + 4], p[i + 5], p[i + 6]);
        if (!(part > 0)) return;
        const k = i + this.bodies * 7;
        position.x += part * (p[k] - p[i]);
        position.y += part * (p[k + 1] - p[i + 1]);
        position.z += part * (p[k + 2] - p[i + 2]);
        quaternion.slerp(this.b.set(p[k + 3], p[k + 4], p[k + 5], p[k + 6]), part);
    }

    // The instant not after t, and how far t is on the way to the next one.
    locate(t) {
        const index = indexBelow(this.t, t);
        if (index + 1 >= this.t.length) return [index, 0];
        const gap = this.t[index + 1] - this.t[index];
        return [index, gap > 0 ? Math.min(1, Math.max(0, (t - this.t[index]) / gap)) : 0];
    }

    centerOfMass(index, part, out) {
        const c = this.com;
        const i = index * 3;
        out.set(c[i], c[i + 1], c[i + 2]);
        if (part > 0) {
            out.x += part * (c[i + 3] - c[i]);
            out.y += part * (c[i + 4] - c[i + 1]);
            out.z += part * (c[i + 5] - c[i + 2]);
        }
        return out;
    }

    // The way of a point that is fixed in a body, as x y z of every instant.
    path(body, point) {
        const out = new Float32Array(this.t.length * 3);
        const position = new Vector3();
        const x = new Vector3();
        for (let i = 0; i < this.t.length; i++) {
            this.pose(body, i, 0, position, this.a);
            x.copy(point).applyQuaternion(this.a).add(position).toArray(out, i * 3);
        }
        return out;
    }
}
