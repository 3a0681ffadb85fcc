// What actuators on frames give, thrusters and rotors: an arrow each, which moves with its frame.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Vector3 } from "three";
import { numbers } from "./decode.js";
import { poseMatrix } from "./motion.js";
import { theme } from "./theme.js";

const axis = new Vector3(0, 1, 0);

export class Thrusters {
    // `groups` are the bodies, `bends` the links that bend, `size` is that of the robot.
    constructor(item, groups, bends, size) {
        this.list = item.thrusters.list;
        this.values = numbers(item.thrusters.values);
        this.size = size;
        this.material = new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true });
        const rod = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
        const head = new ConeGeometry(1, 1, 18).translate(0, -0.5, 0);
        let most = 0;
        this.lengths = this.list.map((thruster) => Math.hypot(...thruster.force));
        this.values.forEach((u, i) => (most = Math.max(most, Math.abs(u) * this.lengths[i % this.list.length])));
        this.scale = most > 0 ? (0.3 * size) / most : 0;
        this.arrows = this.list.map((thruster) => {
            const frame = item.frames[thruster.frame];
            const arrow = new Group();
            arrow.add(new Mesh(rod, this.material), new Mesh(head, this.material));
            for (const mesh of arrow.children) mesh.renderOrder = 6;
            arrow.quaternion.setFromUnitVectors(axis, new Vector3(...thruster.force).normalize());
            const holder = new Group();
            holder.applyMatrix4(poseMatrix(frame.pose));
            holder.add(arrow);
            groups[frame.body].add(holder);
            bends[frame.elastic]?.attach(holder);
            return arrow;
        });
        this.forces = this.arrows.map((arrow) => arrow.parent);
        this.paint();
    }

    // Where the arrows end at an instant, once the bodies are there.
    ends(index) {
        return this.arrows.map((arrow, i) => {
            const length = this.scale * this.lengths[i] * this.values[index * this.list.length + i];
            return arrow.localToWorld(new Vector3(0, Number.isFinite(length) ? length : 0, 0));
        });
    }

    show(index, part) {
        const width = this.list.length;
        this.arrows.forEach((arrow, i) => {
            const a = this.values[index * width + i];
            const b = part > 0 ? this.values[(index + 1) * width + i] : a;
            const length = this.scale * this.lengths[i] * (a + part * (b - a));
            arrow.visible = Number.isFinite(length) && Math.abs(length) > 1e-6 * this.size;
            if (!arrow.visible) return;
            const head = Math.min(0.05 * this.size, 0.5 * Math.abs(length)) * Math.sign(length);
            const thick = Math.min(0.008 * this.size, 0.2 * Math.abs(length));
            arrow.children[0].scale.set(thick, length - head, thick);
            arrow.children[1].position.set(0, length, 0);
            arrow.children[1].scale.set(0.35 * Math.abs(head), head, 0.35 * Math.abs(head));
        });
    }

    paint() {
        this.material.color.setHex(theme().force);
    }
}
