// What can be shown beside the robot: axes of frames and joints, the mass centre, the way of a point.
import { Color, ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import { poseMatrix } from "./motion.js";

const up = new Vector3(0, 1, 0);

function onTop(material) {
    material.depthTest = false;
    material.transparent = true;
    return material;
}

// Three short rods, x red, y green, z blue, at every frame; the colours differ in brightness too.
export function frameMarks(item, groups, bends, size) {
    const rod = new CylinderGeometry(0.035 * size, 0.035 * size, size, 10).translate(0, size / 2, 0);
    const head = new ConeGeometry(0.1 * size, 0.24 * size, 14).translate(0, 1.06 * size, 0);
    const axes = [
        [new Vector3(1, 0, 0), new MeshBasicMaterial({ color: 0xd43d3d })],
        [new Vector3(0, 1, 0), new MeshBasicMaterial({ color: 0x2fa84f })],
        [new Vector3(0, 0, 1), new MeshBasicMaterial({ color: 0x2d5fd0 })],
    ];
    const all = [];
    for (const frame of item.frames) {
        const marks = new Group();
        for (const [direction, material] of axes) {
            const turn = new Quaternion().setFromUnitVectors(up, direction);
            for (const geometry of [rod, head]) {
                const mesh = new Mesh(geometry, onTop(material));
                mesh.quaternion.copy(turn);
                mesh.renderOrder = 5;
                marks.add(mesh);
            }
        }
        marks.applyMatrix4(poseMatrix(frame.pose));
        marks.visible = false;
        groups[frame.body].add(marks);
        bends[frame.elastic]?.attach(marks);
        all.push(marks);
    }
    return all;
}

// A long thin arrow along each axis, blue where the joint turns and orange where it slides.
export function jointMarks(item, groups, size) {
    const rod = new CylinderGeometry(0.018 * size, 0.018 * size, 2 * size, 10);
    const head = new ConeGeometry(0.07 * size, 0.2 * size, 14).translate(0, 1.1 * size, 0);
    const turning = onTop(new MeshBasicMaterial({ color: 0x2d7fd0 }));
    const sliding = onTop(new MeshBasicMaterial({ color: 0xd58a00 }));
    const all = [];
    const none = new Set(["free", "spherical", "planar", "universal", "fixed"]);
    for (const joint of item.joints) {
        if (none.has(joint.type)) continue;
        const pose = joint.child_pose;
        const axis = new Vector3(...joint.axis).applyQuaternion(new Quaternion(pose[3], pose[4], pose[5], pose[6]));
        const marks = new Group();
        for (const geometry of [rod, head]) {
            const mesh = new Mesh(geometry, joint.type === "prismatic" ? sliding : turning);
            mesh.renderOrder = 4;
            marks.add(mesh);
        }
        marks.quaternion.setFromUnitVectors(up, axis.normalize());
        marks.position.set(pose[0], pose[1], pose[2]);
        marks.visible = false;
        groups[joint.child].add(marks);
        all.push(marks);
    }
    return all;
}

// A path in two strokes: all of it faint, and bold up to now.
export class Path {
    constructor(points, color, width) {
        this.group = new Group();
        this.count = points.length / 3;
        const line = (opacity, thickness) => {
            const geometry = new LineGeometry();
            geometry.setPositions(points);
            const l = new Line2(geometry, new LineMaterial({ color, linewidth: thickness, transparent: true, opacity }));
            l.frustumCulled = false;
            this.group.add(l);
            return l;
        };
        this.faint = line(0.3, width * 0.6);
        this.bold = line(1, width);
    }

    show(index, part) {
        this.bold.geometry.instanceCount = Math.max(0, Math.min(this.count - 1, index + (part > 0 ? 1 : 0)));
    }

    setColor(color) {
        this.faint.material.color = new Color(color);
        this.bold.material.color = new Color(color);
    }

    dispose() {
        for (const line of [this.faint, this.bold]) {
            line.geometry.dispose();
            line.material.dispose();
        }
        this.group.removeFromParent();
    }
}

export function massMark(size, color) {
    const mark = new Mesh(new SphereGeometry(size, 28, 20), onTop(new MeshBasicMaterial({ color })));
    mark.renderOrder = 6;
    const rim = new Mesh(new SphereGeometry(1.35 * size, 28, 20), onTop(new MeshBasicMaterial({ color: 0xffffff })));
    rim.renderOrder = 5;
    const group = new Group();
    group.add(rim, mark);
    group.paint = (hex) => mark.material.color.setHex(hex);
    return group;
}
