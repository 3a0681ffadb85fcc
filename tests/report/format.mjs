// How numbers are written, without a browser.
//   node format.mjs PAGES WORK SOURCE
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const source = process.argv[4];
const { format, formatTime, logLabels, prettyUnit, tickLabels } = await import(pathToFileURL(join(source, "src/format.js")));
const { indexBelow } = await import(pathToFileURL(join(source, "src/clock.js")));

let failures = 0;
function same(got, expected, what) {
    const [a, b] = [JSON.stringify(got), JSON.stringify(expected)];
    if (a === b) return;
    failures++;
    console.error(`${what}: ${a}, expected ${b}`);
}

same(format(0), "0", "zero");
same(format(-0.25), "−0.25", "a negative number");
same(format(1 / 3), "0.333333", "six digits");
same(format(123456.7), "123457", "a large number");
same(format(1.5e-11), "1.5×10⁻¹¹", "a tiny number");
same(format(-2.5e12), "−2.5×10¹²", "a huge number");
same(format(2.306e-17, 0.5), "0", "rounding beside larger numbers");
same(format(2.306e-17, 1e-10), "2.306×10⁻¹⁷", "a tiny number beside tiny ones");
same(format(NaN), "–", "not a number");
same(format(null), "–", "a gap");
same(prettyUnit("rad/s^2"), "rad/s²", "a unit");
same(tickLabels([0, 0.25, 0.5], 0.25), ["0", "0.25", "0.50"], "quarters");
same(tickLabels([-1, 0, 1], 1), ["−1", "0", "1"], "whole numbers");
same(tickLabels([0, 1e-12, 2e-12], 1e-12), ["0", "1×10⁻¹²", "2×10⁻¹²"], "tiny ticks");
same(tickLabels([1000.001, 1000.002], 0.001), ["1000.001", "1000.002"], "a narrow range far from zero");
same(logLabels([1e-9, 2e-9, 1e-8, 1e-7]), ["10⁻⁹", "", "10⁻⁸", "10⁻⁷"], "decades");
same(logLabels([1, 2, 5, 10]), ["1", "2", "5", "10"], "one decade");
same(formatTime(1.23456, 5), "1.235", "time of a short run");
same(formatTime(1234.5678, 3600), "1235", "time of a long run");
same(indexBelow([0, 1, 2], -1), 0, "before the first");
same(indexBelow([0, 1, 2], 1.5), 1, "between");
same(indexBelow([0, 1, 2], 9), 2, "after the last");
process.exit(failures ? 1 : 0);
