// Compares the cost of a request with that in other implementations: see README.md.
import { execSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, start } from "./workerd.js";

const { quick } = parseArgs({ options: { quick: { type: "boolean" } } }).values;
const { blocks, rounds, warmUps } = quick
	? { blocks: 3, rounds: 4, warmUps: 2 }
	: { blocks: 8, rounds: 6, warmUps: 3 };

/** @type {Record<string, string>} */
const entries = {
	floor: "test/bench/variants/floor.ts",
	"floor (copy)": "test/bench/variants/floor.ts",
	"this service": "src/index.ts",
	"Hono by the book": "test/bench/variants/hono.ts",
};
if (!quick) {
	entries.Elysia = "test/bench/variants/elysia.ts";
	console.error("installing Elysia");
	execSync("npm ci --prefer-offline", { cwd: import.meta.dirname });
}

/** Each batch takes some 10 ms or more, so that the request to the driver hardly counts. */
const batches = [
	{ name: "create", status: 200, nameLength: 10, count: 1000 },
	{ name: "401", status: 401, nameLength: 10, count: 1000 },
	{ name: "400", status: 400, nameLength: 10, count: 1000 },
	{ name: "10 KB", status: 200, nameLength: 10_000, count: 500 },
	{ name: "90 KB", status: 200, nameLength: 90_000, count: 100 },
];

/** @type {{ variant: string, figure: string, value: number }[]} */
const measurements = [];

/** @type {(variant: string, figure: string) => number[]} */
const valuesOf = (variant, figure) =>
	measurements
		.filter((one) => one.variant === variant && one.figure === figure)
		.map(({ value }) => value);

/** @type {(values: number[]) => number} */
const median = (values) =>
	values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const directory = mkdtempSync(join(tmpdir(), "plants-bench-"));
process.on("exit", () => rmSync(directory, { recursive: true }));
const variants = Object.entries(entries).map(([name, entry]) => {
	console.error(`building ${name}`);
	return { name, ...build(entry, join(directory, name)) };
});

for (let block = 1; block <= blocks; block++) {
	console.error(`measuring, block ${block} of ${blocks}`);
	const running = await Promise.all(
		variants.map(async (variant) => ({
			...variant,
			...(await start(variant.config)),
		})),
	);
	for (let round = -warmUps; round < rounds; round++) {
		for (const batch of batches) {
			for (const { name, send, clock } of running) {
				await send({ ...batch, count: 0 });
				const before = clock();
				await send(batch);
				const value = ((clock() - before) * 1000) / batch.count;
				if (round < 0) continue;
				measurements.push({ variant: name, figure: batch.name, value });
			}
		}
		for (const { name, config } of round < 0 ? [] : running) {
			const { send, clock, stop } = await start(config);
			await send({ status: 200, nameLength: 10, count: 1 });
			const value = clock();
			measurements.push({ variant: name, figure: "cold start", value });
			await stop();
		}
		// A different variant comes first in the next round.
		running.push(...running.splice(0, 1));
	}
	for (const { stop } of running) await stop();
}

const figures = batches.map(({ name }) => name);
const table = [
	["", ...figures, "gzip", "cold start"],
	[":--", ...figures.map(() => "--:"), "--:", "--:"],
];
for (const { name, gzip } of variants) {
	const cells = figures.map((figure) => {
		const floor = valuesOf("floor", figure);
		if (name === "floor") return `${median(floor).toFixed(1)} µs`;
		// Each ratio is of one round, so that a change of the machine's speed cancels out.
		const ratios = valuesOf(name, figure).map((v, i) => v / (floor[i] ?? 0));
		return `× ${median(ratios).toFixed(2)}`;
	});
	const coldStart = median(valuesOf(name, "cold start")).toFixed(1);
	const size = (gzip / 1000).toFixed(1);
	table.push([name, ...cells, `${size} KB`, `${coldStart} ms`]);
}
for (const [name = "", ...cells] of table) {
	const padded = [name.padEnd(19), ...cells.map((cell) => cell.padStart(10))];
	console.log(`| ${padded.join(" | ")} |`);
}
