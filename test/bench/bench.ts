import { execSync } from "node:child_process";
import {
	mkdtempSync,
	readFileSync,
	rmSync,
	statSync,
	writeFileSync,
} from "node:fs";
import { findPackageJSON } from "node:module";
import { availableParallelism, cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { chart } from "./chart.ts";
import {
	type Build,
	build,
	type Contestant,
	type KvUse,
	Runner,
} from "./measure.ts";

const HELP = `npm run bench [-- [--quick] [--svg]]

Runs the built Worker in workerd beside others that do the same job: a hand-written floor,
the floor with all promises of this service, and the peers, each as its documentation has
it. Prints the ratios to the floor (medians), then the absolute figures.

  --quick  half a minute: both floors, this service and Hono by the book, few rounds
  --svg    also write test/bench/chart.svg
  --help   this text

How it is measured
  Everybody is bundled by "wrangler deploy --dry-run" with minify: this service with all
  settings of wrangler.toml, the floors with keep_names = false as well, the peers with
  Wrangler's default. Each runs in a workerd process of its own. A driver in the same
  isolate makes each request anew, has it answered, reads the answer, and checks status,
  body and the one write to an in-memory KV. That work is the same for all and is counted
  for all. Time is taken from outside: the CPU time of workerd's main thread on Linux, the
  time of day elsewhere. Contestants take turns, garbage is collected between batches off
  the clock, and each block of rounds has fresh processes. A cold start is a fresh process
  up to and with its first create.

What the figures can tell
  Which of two contestants costs more CPU for the same request on the same machine, and
  roughly by how much: two full runs agree within some 3 %, at 900 KB within some 8 %,
  since there most of the time goes into memory that is copied, mapped and collected. The
  floor's copy shows the noise: outside 0.95 to 1.02, discard the run. Bytes are exact, a
  cold start is good to a millisecond.

What they cannot tell
  How long a user waits: network, TLS and the real KV take milliseconds and are left out.
  What Cloudflare bills: its machines and its load differ, so absolute times mean little.
  The cost of a body that arrives in pieces: here it is in memory. Work of V8's helper
  threads (compiling, collecting garbage) is not in the CPU time on Linux. A cold start
  here includes workerd's own, hence only the difference to the floor's counts. And the
  peers promise less than this service: they round large ids, for instance.
`;

const { values: options } = parseArgs({
	options: {
		quick: { type: "boolean", default: false },
		svg: { type: "boolean", default: false },
		help: { type: "boolean", default: false },
	},
});
if (options.help) {
	console.log(HELP);
	process.exit();
}

const contestant = (
	name: string,
	file: string,
	keepNames: boolean,
): Contestant => ({
	name,
	entry: `test/bench/contestants/${file}.ts`,
	keepNames,
});
const contestants: Contestant[] = [
	contestant("floor", "floor", false),
	contestant("floor, its copy", "floor", false),
	contestant("floor, same promises", "floor-same-promises", false),
	{ name: "ours", entry: "src/index.ts", keepNames: false },
	contestant("hono by the book", "hono", true),
];
if (!options.quick) {
	contestants.push(
		contestant("@hono/zod-openapi", "hono-zod-openapi", true),
		contestant("chanfana", "chanfana", true),
		contestant("itty-router with zod", "itty-router", true),
		contestant("elysia", "elysia", true),
	);
}

/** Requests in a batch: enough for 20 ms or more, against which one HTTP request is little. */
const batches = {
	create: 1000,
	"a 401": 1000,
	"a 400": 1000,
	"1 KB": 1000,
	"100 KB": 100,
	"900 KB": 20,
};
const COLD = "cold start";
const figures = [...Object.keys(batches), COLD];
const { blocks, rounds, warmUps } = options.quick
	? { blocks: 1, rounds: 11, warmUps: 2 }
	: { blocks: 3, rounds: 15, warmUps: 4 };

interface Entrant extends Contestant {
	build: Build;
	/** For each figure, the result of each round: µs, or ms for a cold start. */
	times: Record<string, number[]>;
	kv: KvUse;
}

function progress(text: string): void {
	if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`);
	else if (!text.endsWith("%")) process.stderr.write(`${text}\n`);
}

function install(): void {
	const modified = (path: string) =>
		statSync(join(import.meta.dirname, path), { throwIfNoEntry: false })
			?.mtimeMs ?? 0;
	if (
		modified("node_modules/.package-lock.json") >= modified("package-lock.json")
	)
		return;
	progress("installing the peers");
	execSync("npm ci", {
		cwd: import.meta.dirname,
		stdio: ["ignore", "ignore", "inherit"],
	});
}

/** One block: fresh processes, warmed up, then rounds in which all take turns. */
async function runBlock(entrants: Entrant[], block: number): Promise<void> {
	const runners = new Map<Entrant, Runner>();
	for (const entrant of entrants)
		runners.set(entrant, await Runner.start(entrant.build));
	try {
		for (let round = -warmUps; round < rounds; round++) {
			const done = (block * rounds + Math.max(round, 0)) / (blocks * rounds);
			progress(
				`measuring, block ${block + 1} of ${blocks}, ${Math.round(done * 100)} %`,
			);
			const first = Math.abs(round) % entrants.length;
			const inTurn = [...entrants.slice(first), ...entrants.slice(0, first)];
			for (const [figure, count] of Object.entries(batches)) {
				for (const entrant of inTurn) {
					const time = await (runners.get(entrant) as Runner).time(
						figure,
						count,
					);
					if (round >= 0) entrant.times[figure]?.push(time);
				}
			}
			if (round < 0) continue;
			for (const entrant of inTurn) {
				const runner = await Runner.start(entrant.build);
				entrant.kv = await runner.run("create", 1);
				entrant.times[COLD]?.push(runner.clock());
				await runner.stop();
			}
		}
	} finally {
		for (const runner of runners.values()) await runner.stop();
	}
}

function median(values: number[]): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function printTable(...[head, rows]: [string[], string[][]]): void {
	for (const [name = "", ...cells] of [head, ...rows]) {
		console.log(
			name.padEnd(20) + cells.map((cell) => cell.padStart(11)).join(""),
		);
	}
}

/** The version of each package as the contestants import it, and of what runs them. */
function versions(): string {
	const names = ["workerd", "wrangler", "hono", "zod"];
	if (!options.quick)
		names.push("@hono/zod-openapi", "chanfana", "itty-router", "elysia");
	return names
		.map((name) => {
			const path = findPackageJSON(name, import.meta.url) as string;
			return `${name} ${(JSON.parse(readFileSync(path, "utf8")) as { version: string }).version}`;
		})
		.join(", ");
}

if (!options.quick) install();
const directory = mkdtempSync(join(tmpdir(), "plants-bench-"));
try {
	const entrants: Entrant[] = [];
	for (const [index, contestant] of contestants.entries()) {
		progress(`building ${contestant.name}`);
		const times = Object.fromEntries(figures.map((figure) => [figure, []]));
		const built = await build(contestant, join(directory, String(index)));
		entrants.push({
			...contestant,
			build: built,
			times,
			kv: { reads: 0, writes: 0 },
		});
	}
	for (let block = 0; block < blocks; block++) await runBlock(entrants, block);
	progress("");

	const floor = entrants[0] as Entrant;
	const compared = entrants.map(({ name, build, times }) => {
		const ratio = (figure: string) =>
			median(
				(times[figure] ?? []).map(
					(time, round) => time / (floor.times[figure]?.[round] ?? 0),
				),
			);
		return {
			name,
			gzip: build.gzip,
			ratios: Object.fromEntries(
				Object.keys(batches).map((figure) => [figure, ratio(figure)]),
			),
			coldOverFloor:
				median(times[COLD] ?? []) - median(floor.times[COLD] ?? []),
		};
	});
	const date = new Date().toISOString().slice(0, 10);
	console.log(
		`\n${date}, ${versions()}, ${availableParallelism()} x ${cpus()[0]?.model}`,
	);

	console.log(
		"\nRatios to the floor; the cold start in ms of CPU over the floor's",
	);
	printTable(
		["", ...Object.keys(batches), "plain", "gzip", "cold start"],
		compared.map(({ name, gzip, ratios, coldOverFloor }, index) => [
			name,
			...Object.values(ratios).map((ratio) => ratio.toFixed(2)),
			((entrants[index]?.build.bytes ?? 0) / floor.build.bytes).toFixed(0),
			(gzip / floor.build.gzip).toFixed(0),
			coldOverFloor.toFixed(1),
		]),
	);
	console.log(
		"\nAbsolute: µs for each request, bundle in bytes, cold start in ms, KV calls",
	);
	printTable(
		[
			"",
			...Object.keys(batches),
			"plain",
			"gzip",
			"cold start",
			"reads",
			"writes",
		],
		entrants.map(({ name, build, times, kv }) => [
			name,
			...Object.keys(batches).map((figure) =>
				median(times[figure] ?? []).toFixed(1),
			),
			String(build.bytes),
			String(build.gzip),
			median(times[COLD] ?? []).toFixed(1),
			String(kv.reads),
			String(kv.writes),
		]),
	);
	const copy = Object.entries(compared[1]?.ratios ?? {}).filter(
		([, v]) => v < 0.95 || v > 1.02,
	);
	for (const [figure, ratio] of copy) {
		console.log(
			`Noisy: the floor's copy took ${ratio.toFixed(2)} of the floor for "${figure}".`,
		);
	}
	if (options.svg) {
		const file = join(import.meta.dirname, "chart.svg");
		writeFileSync(
			file,
			chart(
				compared.filter((_, index) => index !== 1),
				`${date}, ${versions()}`,
			),
		);
	}
} finally {
	rmSync(directory, { recursive: true });
}
