// Contacts of a run: points, forces as arrows, friction cones, the support polygon with the zero-moment point.
import {
    BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, Float32BufferAttribute, Group, InstancedMesh, LineBasicMaterial, LineLoop, Matrix4,
    Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3,
} from "three";
import { numbers } from "./decode.js";
import { theme } from "./theme.js";

const VALUES = 9; // of a pair at an instant: point, force, normal
const DOT = 4; // a point and the number of its pair
const axis = new Vector3(0, 1, 0);

// The length of a force that stands for all: larger than 95 of 100, so that impacts do not make the others vanish.
function typicalForce(values, pairs) {
    const sizes = [];
    for (let i = 0; i + VALUES <= values.length; i += VALUES) {
        const size = Math.hypot(values[i + 3], values[i + 4], values[i + 5]);
        if (size > 0) sizes.push(size);
    }
    sizes.sort((a, b) => a - b);
    return sizes.length && pairs ? sizes[Math.min(sizes.length - 1, Math.floor(0.95 * sizes.length))] : 1;
}

// The convex polygon around points as seen along z of a plane, by Andrew's monotone chain; points are {x, y, at}.
export function hull(points) {
    const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
    const turn = (o, a, b) => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
    const half = (list) => {
        const out = [];
        for (const p of list) {
            while (out.length > 1 && turn(out[out.length - 2], out[out.length - 1], p) <= 1e-12) out.pop();
            out.push(p);
        }
        return out.slice(0, -1);
    };
    return sorted.length < 3 ? sorted : [...half(sorted), ...half(sorted.reverse())];
}

export class Contacts {
    // `size` is that of the robot, `up` the vertical.
    constructor(packed, size, up) {
        this.pairs = packed.pairs;
        this.values = numbers(packed.values);
        this.dots = numbers(packed.dots);
        this.starts = numbers(packed.starts);
        this.zmp = packed.zmp ? numbers(packed.zmp) : null;
        this.up = up;
        this.size = size;
        this.scale = (0.3 * size) / typicalForce(this.values, this.pairs.length);
        this.across = new Vector3(1, 0, 0).addScaledVector(up, -up.x);
        if (this.across.length() < 0.1) this.across.set(0, 1, 0).addScaledVector(up, -up.y);
        this.across.normalize();
        this.ahead = new Vector3().crossVectors(up, this.across);
        this.build();
        this.paint();
    }

    build() {
        const { size } = this;
        // most of it is inside of what touches: all is seen through that
        const onTop = (material) => Object.assign(material, { depthTest: false, depthWrite: false, transparent: true });
        this.force = onTop(new MeshBasicMaterial());
        this.cone = onTop(new MeshBasicMaterial({ opacity: 0.14, side: DoubleSide }));
        this.area = onTop(new MeshBasicMaterial({ opacity: 0.22, side: DoubleSide }));
        this.rim = onTop(new LineBasicMaterial());
        this.spot = onTop(new MeshBasicMaterial());
        let most = 1;
        for (let i = 0; i + 1 < this.starts.length; i++) most = Math.max(most, this.starts[i + 1] - this.starts[i]);
        this.points = new InstancedMesh(new SphereGeometry(0.009 * size, 14, 10), onTop(new MeshBasicMaterial()), most);
        this.points.frustumCulled = false;
        this.points.renderOrder = 7;

        this.arrows = new Group();
        this.cones = new Group();
        const rod = new CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
        const head = new ConeGeometry(1, 1, 18).translate(0, -0.5, 0);
        for (const pair of this.pairs) {
            const arrow = new Group();
            arrow.add(new Mesh(rod, this.force), new Mesh(head, this.force));
            for (const mesh of arrow.children) mesh.renderOrder = 6;
            this.arrows.add(arrow);
            // the tip of the cone is at the contact
            const height = 0.22 * size;
            const radius = (pair.friction ?? 0) * height;
            const cone = new Mesh(new ConeGeometry(radius, height, 40, 1, true).rotateX(Math.PI).translate(0, height / 2, 0), this.cone);
            cone.renderOrder = 4;
            this.cones.add(cone);
        }
        this.support = new Group();
        this.polygon = new Mesh(new BufferGeometry(), this.area);
        this.border = new LineLoop(new BufferGeometry(), this.rim);
        this.center = new Mesh(new SphereGeometry(0.014 * size, 20, 14), this.spot);
        this.polygon.frustumCulled = this.border.frustumCulled = false;
        this.polygon.renderOrder = this.border.renderOrder = 3;
        this.center.renderOrder = 8;
        this.support.add(this.polygon, this.border, this.center);
        this.forces = [this.points, this.arrows];
        this.cones.visible = this.support.visible = false;
        this.group = new Group();
        this.group.add(this.points, this.arrows, this.cones, this.support);
    }

    // A number of a pair, between two instants where there are two.
    value(index, part, at) {
        const width = VALUES * this.pairs.length;
        const a = this.values[index * width + at];
        const b = part > 0 ? this.values[(index + 1) * width + at] : NaN;
        return Number.isFinite(b) && Number.isFinite(a) ? a + part * (b - a) : a;
    }

    vector(index, part, at, out) {
        return out.set(this.value(index, part, at), this.value(index, part, at + 1), this.value(index, part, at + 2));
    }

    show(index, part) {
        const near = part > 0.5 ? index + 1 : index;
        this.showPoints(near);
        const point = new Vector3();
        const force = new Vector3();
        const normal = new Vector3();
        const pressure = new Vector3();
        let load = 0;
        this.pairs.forEach((pair, i) => {
            this.vector(index, part, VALUES * i, point);
            this.vector(index, part, VALUES * i + 3, force);
            this.vector(index, part, VALUES * i + 6, normal);
            const there = Number.isFinite(point.x) && force.length() > 0;
            this.placeArrow(this.arrows.children[i], there, point, force);
            this.placeCone(this.cones.children[i], there && pair.friction > 0 && Number.isFinite(normal.x), point, normal);
            if (there && pair.outside && force.dot(this.up) > 0) {
                pressure.addScaledVector(point, force.dot(this.up));
                load += force.dot(this.up);
            }
        });
        this.showSupport(near, load > 0 ? pressure.divideScalar(load) : null);
    }

    showPoints(index) {
        const matrix = new Matrix4();
        const from = this.starts[index];
        this.points.count = this.starts[index + 1] - from;
        for (let i = 0; i < this.points.count; i++) {
            const at = DOT * (from + i);
            this.points.setMatrixAt(i, matrix.makeTranslation(this.dots[at], this.dots[at + 1], this.dots[at + 2]));
        }
        this.points.instanceMatrix.needsUpdate = true;
    }

    placeArrow(arrow, there, point, force) {
        arrow.visible = there;
        if (!there) return;
        const length = Math.min(1.2 * this.size, this.scale * force.length());
        const head = Math.min(0.045 * this.size, 0.5 * length);
        const thick = Math.min(0.0065 * this.size, 0.2 * length);
        arrow.position.copy(point);
        arrow.quaternion.setFromUnitVectors(axis, force.clone().normalize());
        arrow.children[0].scale.set(thick, length - head, thick);
        arrow.children[1].position.set(0, length, 0);
        arrow.children[1].scale.set(0.35 * head, head, 0.35 * head);
    }

    placeCone(cone, there, point, normal) {
        cone.visible = there;
        if (!there) return;
        cone.position.copy(point);
        cone.quaternion.copy(new Quaternion().setFromUnitVectors(axis, normal.normalize()));
    }

    // The polygon around the points on what does not move, and where the pressure on it is centred.
    showSupport(index, pressure) {
        const points = [];
        for (let i = this.starts[index]; i < this.starts[index + 1]; i++) {
            const at = new Vector3(this.dots[DOT * i], this.dots[DOT * i + 1], this.dots[DOT * i + 2]);
            if (this.pairs[this.dots[DOT * i + 3]].outside) points.push({ x: at.dot(this.across), y: at.dot(this.ahead), at });
        }
        const corners = hull(points).map((p) => p.at.addScaledVector(this.up, 1e-3 * this.size));
        const flat = corners.flatMap((p) => [p.x, p.y, p.z]);
        this.polygon.visible = corners.length > 2;
        this.border.visible = corners.length > 1;
        const fan = [];
        for (let i = 1; i + 1 < corners.length; i++) fan.push(0, i, i + 1);
        for (const shape of [this.polygon, this.border]) {
            shape.geometry.dispose();
            shape.geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(flat, 3));
        }
        this.polygon.geometry.setIndex(fan);
        if (this.zmp) this.center.position.fromArray(this.zmp, 3 * index);
        else if (pressure) this.center.position.copy(pressure);
        this.center.visible = Number.isFinite(this.center.position.x) && Boolean(this.zmp || pressure);
    }

    paint() {
        const colors = theme();
        this.force.color.setHex(colors.force);
        this.points.material.color.setHex(colors.touch);
        this.cone.color.setHex(colors.cone);
        this.area.color.setHex(colors.support);
        this.rim.color.setHex(colors.support);
        this.spot.color.setHex(colors.touch);
    }
}
