// The shapes that a model gives its links: primitives, and meshes that the document carries.
import { BoxGeometry, CapsuleGeometry, Color, CylinderGeometry, DoubleSide, Group, LoadingManager, Mesh, MeshStandardMaterial, SphereGeometry } from "three";
import { ColladaLoader } from "three/examples/jsm/loaders/ColladaLoader.js";
import { OBJLoader } from "three/examples/jsm/loaders/OBJLoader.js";
import { STLLoader } from "three/examples/jsm/loaders/STLLoader.js";
import { bytes } from "./decode.js";
import { poseMatrix } from "./motion.js";

// A page that fetches nothing: whatever a mesh asks for, it gets one white pixel.
const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";

function manager() {
    const m = new LoadingManager();
    m.setURLModifier(() => pixel);
    return m;
}

// An object, or a geometry to be given a material; null when the file cannot be read.
function parseMesh(mesh) {
    const data = bytes(mesh.data);
    try {
        if (mesh.format === "stl") return new STLLoader(manager()).parse(data.buffer);
        const text = new TextDecoder().decode(data);
        if (mesh.format === "obj") return new OBJLoader(manager()).parse(text);
        // URDF takes the coordinates as they are; the loader would turn them and say so on the console
        const upright = text.replace(/<up_axis>[^<]*<\/up_axis>/g, "<up_axis>Y_UP</up_axis>");
        return new ColladaLoader(manager()).parse(upright, "").scene;
    } catch {
        return null;
    }
}

function material(rgba) {
    return new MeshStandardMaterial({
        color: new Color().setRGB(rgba[0], rgba[1], rgba[2], "srgb"),
        roughness: 0.6,
        metalness: 0.1,
        side: DoubleSide, // meshes are not always closed
        transparent: rgba[3] < 1,
        opacity: rgba[3],
    });
}

function primitive(visual) {
    const [a, b, c] = visual.size;
    if (visual.shape === "box") return new BoxGeometry(a, b, c);
    if (visual.shape === "sphere") return new SphereGeometry(a, 40, 28);
    // three's axis is y, ours z
    if (visual.shape === "cylinder") return new CylinderGeometry(a, a, b, 48).rotateX(Math.PI / 2);
    if (visual.shape === "capsule") return new CapsuleGeometry(a, b, 12, 36).rotateX(Math.PI / 2);
    return null;
}

function meshObject(parsed, paint, keepColors) {
    if (parsed.isBufferGeometry) {
        if (!parsed.getAttribute("normal")) parsed.computeVertexNormals();
        return new Mesh(parsed, paint);
    }
    const object = parsed.clone(true);
    const lights = [];
    object.traverse((node) => {
        if (node.isLight || node.isCamera) lights.push(node);
        if (node.isMesh && !keepColors) node.material = paint;
        if (node.isMesh && !node.geometry.getAttribute("normal")) node.geometry.computeVertexNormals();
    });
    for (const light of lights) light.removeFromParent();
    return object;
}

// Adds the shapes to the bodies' groups, and to `bends` those of links that bend. Returns which bodies have one, and the
// names of meshes that failed.
export function addShapes(item, groups, bends, same) {
    const cache = new Map();
    const shaped = new Set();
    const failed = [];
    for (const visual of item.visuals) {
        let object = null;
        if (visual.shape === "mesh") {
            if (visual.mesh === null) continue;
            if (!cache.has(visual.mesh)) cache.set(visual.mesh, parseMesh(item.meshes[visual.mesh]));
            const parsed = cache.get(visual.mesh);
            if (!parsed) {
                failed.push(item.meshes[visual.mesh].name);
                continue;
            }
            object = meshObject(parsed, material(visual.rgba), item.meshes[visual.mesh].format === "dae");
            const holder = new Group();
            holder.add(object);
            holder.scale.set(...visual.size);
            object = holder;
        } else {
            const geometry = primitive(visual);
            if (!geometry) continue;
            object = new Mesh(geometry, same ? same(visual) : material(visual.rgba));
        }
        const place = new Group();
        place.add(object);
        place.applyMatrix4(poseMatrix(visual.pose));
        place.traverse((node) => {
            if (node.isMesh) node.castShadow = node.receiveShadow = true;
        });
        if (visual.elastic === undefined) groups[visual.body].add(place);
        else bends[visual.elastic].add(place, groups[visual.body]);
        shaped.add(visual.body);
    }
    return { shaped, failed: [...new Set(failed)] };
}
