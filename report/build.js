// Makes the page of the report from its sources: one HTML file with script and style inside, which fetches nothing.
//
//   node build.js OUT_FOLDER
//
// writes page.html, with @DOCUMENT@ where the command puts its document, and page.c, the same as C arrays: what is
// before the document and what is after it.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "out");

// The notices that the licenses of the libraries inside ask to be kept.
function notices() {
    const names = Object.keys(JSON.parse(readFileSync(join(here, "package.json"), "utf8")).dependencies);
    const texts = names.map((name) => {
        const folder = join(here, "node_modules", name);
        const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        return `${name} ${version}\n\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}`;
    });
    return `/*! This page contains:\n\n${texts.join("\n\n----\n\n")}\n*/\n`;
}

async function bundle() {
    const result = await build({
        absWorkingDir: here,
        entryPoints: ["src/main.js"],
        bundle: true,
        minify: true,
        format: "iife",
        target: ["chrome100", "firefox100", "safari15.4"],
        charset: "ascii",
        pure: ["console.debug"], // a loader's chatter
        legalComments: "inline",
        outfile: "page.js",
        write: false,
        logLevel: "warning",
    });
    const text = (end) => result.outputFiles.find((file) => file.path.endsWith(end)).text;
    return { script: notices() + text(".js"), style: text(".css") };
}

// Inside an element only its own closing tag ends it, and "<!--" changes how a script is read.
function checkInline(text, tag) {
    if (new RegExp(`</${tag}|<!--`, "i").test(text)) throw new Error(`the ${tag} contains </${tag} or <!--`);
    return text;
}

function hash(text) {
    return `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
}

function cArray(name, text) {
    const bytes = Buffer.from(text, "utf8");
    const lines = [];
    for (let i = 0; i < bytes.length; i += 32) lines.push(Array.from(bytes.subarray(i, i + 32)).join(","));
    return `const unsigned char ${name}[] = {\n${lines.join(",\n")}};\nconst unsigned long ${name}_size = ${bytes.length};\n`;
}

const { script, style } = await bundle();
const parts = { SCRIPT: checkInline(script, "script"), STYLE: checkInline(style, "style"), SCRIPT_HASH: hash(script), STYLE_HASH: hash(style) };
const template = readFileSync(join(here, "template.html"), "utf8");
const page = template.replace(/@(SCRIPT|STYLE|SCRIPT_HASH|STYLE_HASH)@/g, (_, name) => parts[name]);
const [before, after] = page.split("@DOCUMENT@");

mkdirSync(out, { recursive: true });
writeFileSync(join(out, "page.html"), page);
writeFileSync(join(out, "page.c"),
    `/* Made from report/ by build.js. */\nextern const unsigned char pn_cli_page_head[], pn_cli_page_tail[];\n` +
    `extern const unsigned long pn_cli_page_head_size, pn_cli_page_tail_size;\n` +
    cArray("pn_cli_page_head", before) + cArray("pn_cli_page_tail", after));
