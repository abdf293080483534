// The scripts run the real Wrangler. Miniflare's KV takes the place of Cloudflare's.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { newCheckout } from "./checkout.ts";
import { serveKv } from "./server.ts";

const CLOCK = `--import=${resolve("test/scripts/clock.mjs")}`;
const NODE = [process.execPath, CLOCK];
const SAVE = [...NODE, "scripts/save.mjs"];
const RESTORE = [...NODE, "scripts/restore.mjs", "backup-1.jsonl"];

const harness = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: "x" } }],
});
afterAll(() => harness.close());

type Kv = Awaited<ReturnType<typeof serveKv>>;

/** Plants with this value: a bulk get has 100, and a bulk put 250. */
const newPlants = (value: string, length = 101) =>
	Object.fromEntries(Array.from({ length }, (_, i) => [`${101 + i}`, value]));

/** A checkout, and a namespace with these plants. */
async function newStore(plants: Record<string, string>) {
	const kv = await serveKv(harness);
	async function getAll() {
		const { keys } = await kv.PLANTS.list();
		const get = async ({ name = "" }) => [name, await kv.PLANTS.get(name)];
		return Object.fromEntries(await Promise.all(keys.map(get)));
	}
	for (const entry of Object.entries(plants)) await kv.PLANTS.put(...entry);
	const checkout = newCheckout(kv.variables);
	const { read, write } = checkout;
	// Without an id, Miniflare takes the name of the binding.
	const config = read("wrangler.toml").replace('# id = ""', 'id = "PLANTS"');
	write("wrangler.toml", config);
	const saves = () => checkout.ls().filter((name) => name.startsWith("backup"));
	return { kv, getAll, saves, ...checkout };
}

const line = (key: string, value: string) =>
	`${JSON.stringify({ key, value })}\n`;

/** A namespace with an old plant, and a save of three plants in backup-1.jsonl. */
async function newSave() {
	const store = await newStore({ 7: "old" });
	const lines = [..."789"].map((key) => line(key, `plant ${key}`));
	store.write("backup-1.jsonl", lines.join(""));
	const file = `${store.top}/backup-1.jsonl`;
	const again = `Restore again: npm run restore -- "${file}"`;
	return { file, again, ...store };
}

/** What Cloudflare's API returns when it fails. */
function failure(status: number, message: string) {
	const errors = [{ code: 10_000, message }];
	return Response.json({ success: false, errors }, { status });
}

it("saves the plants for the owner alone, and restores them", async () => {
	const plants = newPlants("{}", 251);
	// The largest body is {"id":8,"name":"…"} with 102,400 bytes: two for each quote.
	plants[8] = JSON.stringify({ name: '"'.repeat(51_190) });
	// readLines() of Node ends a line at some of these. The last is valid UTF-8.
	plants[7] = "\u2028\u2029\r\n\u0085\ufffd";
	const { kv, getAll, saves, top, succeed, read, write } =
		await newStore(plants);
	// Wrangler prefers this file to wrangler.toml.
	write("../wrangler.json", '{ "name": "another" }');

	const shell = "umask 022; export WRANGLER_LOG=none; npm run save";
	const saved = await succeed("sh", "-c", shell);
	const [file = ""] = saves();
	expect(file).toMatch(/^backup-\d+\.jsonl$/);
	expect(saved).toMatch(new RegExp(`Saved 253 plants in ${file}$`));
	expect(fs.statSync(`${top}/${file}`).mode & 0o077).toBe(0);
	const lines = read(file).trimEnd().split("\n");
	const entries = lines.map((line) => Object.values(JSON.parse(line)));
	expect(Object.fromEntries(entries)).toEqual(plants);

	await Promise.all(Object.keys(plants).map((key) => kv.PLANTS.delete(key)));
	await kv.PLANTS.put("201", "changed");
	await kv.PLANTS.put("another", "{}");
	write(file, `${read(file)}\n`); // An editor may add an empty line.
	const shellInFolder = `cd src; npm run restore -- ../${file}`;
	const restored = await succeed("sh", "-c", shellInFolder);
	const last = `Restored 253 plants from ${top}/${file}`;
	expect(restored.split("\n").at(-1)).toBe(last);
	expect(await getAll()).toEqual({ ...plants, another: "{}" });

	// Wrangler's log files would have the plants.
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files).not.toContainEqual(expect.stringMatching(/wrangler-.*log$/));
});

it.each(["backup-1.jsonl", "backup-1.incomplete"])("git ignores %s", (file) => {
	expect(() => execFileSync("git", ["check-ignore", file])).not.toThrow();
});

/** Lists the key 8, too: KV lists a deleted key for a minute. */
const listDeleted: Kv["intercept"] = async (request, next) => {
	const response = await next(request);
	if (!request.url.endsWith("/keys")) return response;
	const { result } = (await response.json()) as { result: object[] };
	return Response.json({ success: true, result: [...result, { name: "8" }] });
};

it("saves no plant that is listed although it is deleted", async () => {
	const { kv, saves, succeed, read } = await newStore({ 7: "plant 7" });
	kv.intercept = listDeleted;
	for (let i = 0; i < 2; i++) {
		expect(await succeed(...SAVE)).toMatch(/Saved 1 plants in/);
	}
	// The second save replaces no file.
	const texts = saves().map(read);
	expect(texts).toEqual([line("7", "plant 7"), line("7", "plant 7")]);
});

it("saves nothing of a namespace without plants", async () => {
	const { kv, saves, fail } = await newStore({});
	const reason = "There are no plants. Is it the right account?";
	expect(await fail(...SAVE)).toBe(reason);
	kv.intercept = listDeleted;
	expect(await fail(...SAVE)).toContain(reason);
	expect(saves()).toEqual([]);
});

/** Responds to a bulk get, unless `respond` returns undefined. */
function onGet(kv: Kv, respond: (keys: string[]) => Response | undefined) {
	kv.intercept = async (request, next) => {
		if (!request.url.endsWith("/bulk/get")) return next(request);
		const { keys } = (await request.clone().json()) as { keys: string[] };
		return respond(keys) ?? next(request);
	};
}

const values = (values: object) =>
	Response.json({ success: true, result: { values } });

it("tries a get once more after 10 s, and saves 20 MB of one get", async () => {
	const { kv, saves, read, succeed } = await newStore(newPlants("{}"));
	// 100 of the largest plants have 20 MB.
	const large = "x".repeat(20_000_000);
	const responses = [failure(429, "Please wait"), values({ 201: large })];
	onGet(kv, ([key]) => (key === "201" ? responses.shift() : undefined));
	const output = await succeed(...SAVE);
	expect(output).toMatch(/Please wait.+Waited for 10000 ms\n/s);
	expect(output).toContain("Saved 101 plants in");
	expect(read(`${saves()}`).endsWith(line("201", large))).toBe(true);
});

it.each([
	["a failed get", failure(429, "Please wait"), "Please wait"],
	["a value that is not a string", values({ 201: {} }), "Wrangler printed"],
])("leaves no incomplete save after %s", async (_, response, reason) => {
	const { kv, saves, fail } = await newStore(newPlants("{}"));
	// The second get has the last key.
	onGet(kv, ([key]) => (key === "201" ? response.clone() : undefined));
	const output = await fail(...SAVE);
	expect(output).toContain("Saved 100 plants");
	expect(output).toContain(reason);
	expect(saves()).toEqual([]);
});

it.each([
	["nothing", "", /\nName one file, .+$/],
	["two saves", "backup-1.jsonl backup-2.jsonl", /\nName one file, .+$/],
	["an incomplete save", "backup-1.incomplete", /\nName one file, .+$/],
	["a missing file", "x", /\nThere is no regular file .+\/checkout\/x$/],
	["a pipe", "/dev/stdin", /\nThere is no regular file \/dev\/stdin$/],
	["a file without plants", "empty.jsonl", /\/empty.jsonl has no plants.$/],
])("does not restore %s", async (_, args, reason) => {
	const { kv, fail, write } = await newSave();
	write("backup-1.incomplete", line("7", "plant 7"));
	write("empty.jsonl", "\n");
	const shell = `cat backup-1.jsonl | npm run restore -- ${args}`;
	expect(await fail("sh", "-c", shell)).toMatch(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	"{",
	"[]",
	"null",
	'{"value":"x"}',
	'{"key":"9","value":1}',
	// Not UTF-8, but Latin-1.
	line("9", "Caf\xe9"),
])("stores nothing, and names the line %j", async (text) => {
	const { kv, file, fail } = await newSave();
	fs.appendFileSync(file, text, "latin1");
	expect(await fail(...RESTORE)).toBe(
		`Reads ${file}\nLine 4 of ${file} is not a plant in UTF-8.`,
	);
	expect(kv.requests).toEqual([]);
});

it("ends a restore when a put fails", async () => {
	const { kv, again, fail } = await newSave();
	kv.intercept = async (request, next) =>
		request.method === "PUT" ? failure(429, "Please wait") : next(request);
	const lines = (await fail(...RESTORE)).split("\n");
	expect(lines).toContainEqual(expect.stringContaining("Please wait"));
	expect(lines.at(-1)).toBe(again);
});

it("compares again after 90 s, when KV first returns an old value", async () => {
	const { kv, file, succeed } = await newSave();
	let gets = 0;
	const old = values({ 7: "old", 8: "plant 8", 9: "plant 9" });
	onGet(kv, () => (++gets === 1 ? old : undefined));
	expect(await succeed(...RESTORE)).toBe(`Reads ${file}
Stored 3 of 3 plants
2 of 3 are equal
1 plants differ. Compares again in 90 s.
Waited for 90000 ms
3 of 3 are equal
Restored 3 plants from ${file}`);
});

it("names the plants that KV did not write, and waits for them once", async () => {
	const { kv, again, getAll, fail, write } = await newSave();
	const lines = Object.keys(newPlants("")).map((key) => line(key, "x"));
	write("backup-1.jsonl", lines.join(""));
	kv.intercept = async (request, next) => {
		if (request.method !== "PUT") return next(request);
		const plants = (await request.json()) as { key: string }[];
		const body = JSON.stringify(plants.filter(({ key }) => key === "102"));
		const { url, headers } = request;
		return next(new Request(url, { method: "PUT", headers, body }));
	};
	const output = await fail(...RESTORE);
	expect(output.match(/Waited/g)).toHaveLength(1);
	const keys = Object.keys(newPlants("")).filter((key) => key !== "102");
	const last = [`100 plants differ: ${keys.join()}`, again];
	expect(output.split("\n").slice(-2)).toEqual(last);
	expect(await getAll()).toEqual({ 7: "old", 102: "x" });
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"ends Wrangler, too, and leaves no temporary file after %s",
	async (signal) => {
		const { kv, file, again, start, ls } = await newSave();
		const closed = Promise.withResolvers<void>();
		const requested = new Promise<void>((resolve) => {
			kv.intercept = (_request, _next, connection) => {
				connection.on("close", () => closed.resolve());
				resolve();
				return new Promise(() => {});
			};
		});
		const restore = start(...RESTORE);
		await Promise.race([requested, restore.ended]);
		restore.kill(signal);
		expect(await restore.ended).toEqual({
			status: 1,
			output: `Reads ${file}\n${again}`,
		});
		expect(ls("../temp")).toEqual([]);
		await closed.promise;
	},
);
