// Links that bend. Each has knots along its length, whose poses are recorded with the motion; what is between two knots
// moves with both, the more with the nearer one.
import { BufferAttribute, BufferGeometry, Matrix4, Mesh, Quaternion, Vector3 } from "three";
import { TessellateModifier } from "three/examples/jsm/modifiers/TessellateModifier.js";
import { numbers } from "./decode.js";
import { poseMatrix } from "./motion.js";

const one = new Vector3();
const other = new Vector3();
const turn = new Quaternion();

// All bent links of a playback: an empty list where none is.
export function bends(item) {
    if (!item.elastic) return [];
    const values = numbers(item.elastic.values);
    const width = item.elastic.list.reduce((sum, entry) => sum + entry.rest.length, 0);
    let first = 0;
    return item.elastic.list.map((entry) => {
        const bend = new Bend(entry, values, width, first);
        first += entry.rest.length;
        return bend;
    });
}

class Bend {
    constructor({ body, nodes, rest }, values, width, first) {
        Object.assign(this, { body, nodes, values, width, first });
        const poses = Array.from({ length: rest.length / 7 }, (_, i) => rest.slice(7 * i, 7 * i + 7));
        this.rest = poses.map((pose) => new Vector3(...pose));
        this.unrest = poses.map((pose) => poseMatrix(pose).invert());
        this.moved = poses.map(() => new Matrix4()); // of a point at rest to where it is
        this.turned = poses.map(() => new Quaternion());
        this.meshes = [];
        this.carried = [];
        this.length = this.rest.reduce((sum, p, i) => sum + (i ? p.distanceTo(this.rest[i - 1]) : 0), 0);
    }

    get tip() {
        return this.rest[this.rest.length - 1];
    }

    // The knot before a point, and how much of the next one it has: by where the point is nearest to at rest.
    between(point) {
        let best = { index: 0, part: 0 };
        let least = Infinity;
        for (let i = 0; i + 1 < this.rest.length; i++) {
            const way = one.subVectors(this.rest[i + 1], this.rest[i]);
            const t = Math.min(1, Math.max(0, other.subVectors(point, this.rest[i]).dot(way) / way.lengthSq()));
            const far = other.addScaledVector(way, -t).lengthSq();
            if (far < least) {
                least = far;
                best = { index: i, part: t * t * (3 - 2 * t) }; // no kink at a knot
            }
        }
        return best;
    }

    // The same of what is attached at a point, which moves as one piece: of given shapes with the nearest node.
    attached(point) {
        if (!this.nodes) return this.between(point);
        const far = this.rest.map((knot) => knot.distanceToSquared(point));
        return { index: far.indexOf(Math.min(...far)), part: 0 };
    }

    // Moves to an instant, with a part of the way to the next one.
    show(index, part) {
        this.place(index, part);
        for (const mesh of this.meshes) this.deform(mesh);
        for (const { object, rest, at } of this.carried) this.carry(rest, at).decompose(object.position, object.quaternion, object.scale);
    }

    place(index, part) {
        const { values } = this;
        const position = new Vector3();
        const size = new Vector3(1, 1, 1);
        this.unrest.forEach((unrest, k) => {
            const i = index * this.width + this.first + 7 * k;
            const q = new Quaternion(values[i + 3], values[i + 4], values[i + 5], values[i + 6]);
            position.fromArray(values, i);
            if (part > 0) {
                const next = i + this.width;
                position.lerp(one.fromArray(values, next), part);
                q.slerp(turn.set(values[next + 3], values[next + 4], values[next + 5], values[next + 6]), part);
            }
            this.moved[k].compose(position, q.normalize(), size).multiply(unrest);
            this.turned[k].setFromRotationMatrix(this.moved[k]);
        });
    }

    // Where a point of the link at rest is now.
    point(rest, { index, part }, out) {
        out.copy(rest).applyMatrix4(this.moved[index]);
        if (part > 0) out.lerp(other.copy(rest).applyMatrix4(this.moved[index + 1]), part);
        return out;
    }

    rotation({ index, part }, out) {
        out.copy(this.turned[index]);
        return part > 0 ? out.slerp(this.turned[index + 1], part) : out;
    }

    // A pose on the link at rest, as it is now.
    carry(rest, at) {
        const position = new Vector3().setFromMatrixPosition(rest);
        const q = this.rotation(at, new Quaternion()).multiply(new Quaternion().setFromRotationMatrix(rest));
        return new Matrix4().compose(this.point(position, at, new Vector3()), q, new Vector3(1, 1, 1));
    }

    // An object of the body's group that moves with the place it is at.
    attach(object) {
        object.updateMatrix();
        const rest = object.matrix.clone();
        this.carried.push({ object, rest, at: this.attached(new Vector3().setFromMatrixPosition(rest)) });
    }

    // The way of a point in the body, as x y z of every instant.
    path(point, motion) {
        const out = new Float32Array(motion.t.length * 3);
        const at = this.attached(point);
        const x = new Vector3();
        const position = new Vector3();
        const q = new Quaternion();
        for (let i = 0; i < motion.t.length; i++) {
            this.place(i, 0);
            motion.pose(this.body, i, 0, position, q);
            this.point(point, at, x).applyQuaternion(q).add(position).toArray(out, i * 3);
        }
        return out;
    }

    // Adds what an object is made of to a body's group, cut into pieces small enough to bend.
    add(object, group) {
        object.updateMatrixWorld(true);
        object.traverse((node) => {
            if (!node.isMesh) return;
            for (const [geometry, material] of parts(node)) {
                const fine = this.cut(geometry.applyMatrix4(node.matrixWorld));
                const mesh = new Mesh(fine, material);
                mesh.castShadow = node.castShadow;
                mesh.receiveShadow = node.receiveShadow;
                mesh.frustumCulled = false;
                group.add(mesh);
                const { position, normal } = fine.attributes;
                const at = Array.from({ length: position.count }, (_, i) => this.between(new Vector3().fromBufferAttribute(position, i)));
                this.meshes.push({ geometry: fine, position: position.array.slice(), normal: normal.array.slice(), at });
            }
        });
    }

    // What is long beside the knots' way is cut coarsely, and what has many triangles already, or nothing to bend by, not.
    cut(geometry) {
        if (this.rest.length < 2 || geometry.attributes.position.count > 60000) return geometry;
        geometry.computeBoundingBox();
        const size = geometry.boundingBox.getSize(new Vector3()).length();
        return new TessellateModifier(Math.max(this.length / 40, size / 60), 7).modify(geometry);
    }

    deform({ geometry, position, normal, at }) {
        const { position: here, normal: facing } = geometry.attributes;
        const x = new Vector3();
        const rest = new Vector3();
        const q = new Quaternion();
        at.forEach((where, i) => {
            const p = this.point(rest.fromArray(position, 3 * i), where, x);
            here.setXYZ(i, p.x, p.y, p.z);
            const n = rest.fromArray(normal, 3 * i).applyQuaternion(this.rotation(where, q));
            facing.setXYZ(i, n.x, n.y, n.z);
        });
        here.needsUpdate = facing.needsUpdate = true;
        geometry.boundingBox = geometry.boundingSphere = null; // found again where they are asked for
    }
}

// The geometry of a mesh, one for each of its materials, with normals and without an index.
function parts(mesh) {
    const whole = mesh.geometry.index ? mesh.geometry.toNonIndexed() : mesh.geometry.clone();
    if (!whole.getAttribute("normal")) whole.computeVertexNormals();
    if (!Array.isArray(mesh.material)) return [[whole, mesh.material]];
    return whole.groups.map(({ start, count, materialIndex }) => {
        const part = new BufferGeometry();
        for (const [name, { array, itemSize }] of Object.entries(whole.attributes))
            part.setAttribute(name, new BufferAttribute(array.slice(start * itemSize, (start + count) * itemSize), itemSize));
        return [part, mesh.material[materialIndex]];
    });
}
