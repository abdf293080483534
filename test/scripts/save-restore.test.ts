// The scripts run the real Wrangler. Miniflare's KV takes the place of Cloudflare's.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { newCheckout } from "./checkout.ts";
import { type Next, serveKv } from "./server.ts";

const SAVE = [process.execPath, "scripts/save.mjs"];
const RESTORE = [
	process.execPath,
	`--import=${resolve("test/scripts/clock.mjs")}`,
	"scripts/restore.mjs",
	"backup-1",
];

const harness = createTestHarness({
	workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: "x" } }],
});
afterAll(() => harness.close());

type Plants = Record<string, string>;

/** So many plants: values by key. */
function newPlants(count: number) {
	const plants: Plants = {};
	for (let id = 101; id <= 100 + count; id++) {
		plants[id] = JSON.stringify({ name: `Plant ${id}` });
	}
	return plants;
}

/** A checkout, and a namespace with these plants. */
async function newStore(plants: Plants) {
	const kv = await serveKv(harness);
	async function put(plants: Plants) {
		const entries = Object.entries(plants);
		await Promise.all(entries.map((entry) => kv.PLANTS.put(...entry)));
	}
	async function getAll() {
		const { keys } = await kv.PLANTS.list();
		const get = async ({ name = "" }) => [name, await kv.PLANTS.get(name)];
		return Object.fromEntries(await Promise.all(keys.map(get)));
	}
	await put(plants);
	const checkout = newCheckout(kv.variables);
	const folders = () =>
		checkout.ls().filter((name) => name.startsWith("backup"));
	return { kv, put, getAll, folders, ...checkout };
}

/** A namespace with an old plant, and a save of three plants in backup-1. */
async function newSave() {
	const store = await newStore({ 7: "old" });
	const plants = [..."789"].map((key) => ({ key, value: `plant ${key}` }));
	fs.mkdirSync(`${store.top}/backup-1`);
	store.write("backup-1/plants-1.json", JSON.stringify(plants));
	return store;
}

/** What Cloudflare's API returns when it fails. */
function failure(status: number, message: string) {
	const errors = [{ code: 10_000, message }];
	return Response.json({ success: false, errors }, { status });
}

it("saves the plants for the owner alone, and restores them", async () => {
	const plants = newPlants(101);
	const { kv, put, getAll, folders, top, succeed, ls, write } =
		await newStore(plants);
	// Wrangler prefers this file to wrangler.toml.
	write("../wrangler.json", '{ "name": "another" }');

	const shell = "umask 022; export WRANGLER_LOG=none; npm run save";
	const saved = await succeed("sh", "-c", shell);
	const [folder = ""] = folders();
	expect(saved).toMatch(new RegExp(`Saved 101 plants in ${folder}$`));
	expect(ls(folder)).toHaveLength(2);
	for (const path of [folder, ...ls(folder).map((x) => `${folder}/${x}`)]) {
		expect(fs.statSync(`${top}/${path}`).mode & 0o077, path).toBe(0);
	}

	await kv.PLANTS.delete("101");
	await put({ 201: "changed", another: "{}" });
	const restored = await succeed("npm", "run", "restore", folder);
	expect(restored).toMatch(new RegExp(`Restored 101 plants from ${folder}$`));
	expect(await getAll()).toEqual({ ...plants, another: "{}" });

	// Wrangler's log files would have the plants.
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files).not.toContainEqual(expect.stringMatching(/wrangler-.*log$/));
});

it("saves and restores 100 plants of the largest size", async () => {
	// The largest body is {"id":101,"name":"…"} with 102,400 bytes. It has two for each quote.
	const value = JSON.stringify({ name: '"'.repeat(51_190) });
	const keys = Object.keys(newPlants(100));
	const plants = Object.fromEntries(keys.map((key) => [key, value]));
	const { kv, getAll, folders, succeed } = await newStore(plants);

	expect(await succeed(...SAVE)).toMatch(/Saved 100 plants in/);
	const [folder = ""] = folders();
	await Promise.all(keys.map((key) => kv.PLANTS.delete(key)));
	await succeed("npm", "run", "restore", folder);
	expect(await getAll()).toEqual(plants);
});

it.each(["backup-1", "backup-1-incomplete"])("git ignores %s", (folder) => {
	const path = `${folder}/plants-1.json`;
	expect(() => execFileSync("git", ["check-ignore", path])).not.toThrow();
});

/** Lists `deleted`, too: KV lists a deleted key for a minute. */
async function listDeleted(request: Request, next: Next) {
	const response = await next(request);
	if (!new URL(request.url).pathname.endsWith("/keys")) return response;
	const list = (await response.json()) as { result: { name: string }[] };
	return Response.json({
		...list,
		result: [...list.result, { name: "deleted" }],
	});
}

it("saves no plant that is listed although it is deleted", async () => {
	const { kv, folders, succeed, ls, read } = await newStore({ 7: "plant 7" });
	kv.intercept = listDeleted;
	expect(await succeed(...SAVE)).toMatch(/Saved 1 plants in/);
	const [folder = ""] = folders();
	const [file = ""] = ls(folder);
	const saved = JSON.parse(read(`${folder}/${file}`));
	expect(saved).toEqual([{ key: "7", value: "plant 7" }]);
});

it.each([
	["has no plants", undefined],
	["has only deleted plants", listDeleted],
])("saves nothing of a namespace that %s", async (_, intercept) => {
	const { kv, folders, fail } = await newStore({});
	if (intercept) kv.intercept = intercept;
	expect(await fail(...SAVE)).toBe(
		"The namespace has no plants. Mostly, it is the wrong account or namespace.",
	);
	expect(folders()).toEqual([]);
});

it("does not complete a save from another namespace, which is empty", async () => {
	const { folders, top, fail, write } = await newStore({});
	fs.mkdirSync(`${top}/backup-1-incomplete`);
	write("backup-1-incomplete/plants-1.json", '[{"key":"7","value":"plant 7"}]');
	const output = await fail(...SAVE, "backup-1-incomplete");
	expect(output).toContain("The namespace has no plants.");
	expect(folders()).toEqual(["backup-1-incomplete"]);
});

it("continues a save after each failure, and reads no plant twice", async () => {
	const plants = newPlants(101);
	const { kv, folders, fail, succeed, ls } = await newStore(plants);
	const keysRead: string[] = [];
	let failing = async () => failure(429, "Please wait");
	kv.intercept = async (request, next) => {
		if (!request.url.endsWith("/bulk/get")) return next(request);
		// Of the two gets, the second fails.
		const { keys } = (await request.clone().json()) as { keys: string[] };
		if (keys.includes("201")) return failing();
		keysRead.push(...keys);
		return next(request);
	};

	expect(await fail(...SAVE)).toContain("Please wait");
	const [folder = ""] = folders();
	expect(folder).toMatch(/-incomplete$/);
	expect(ls(folder)).toHaveLength(1);

	failing = async () => failure(500, "KV is down");
	expect(await fail(...SAVE, folder)).toContain("KV is down");

	failing = () => Promise.reject(); // The connection ends.
	const output = await fail(...SAVE, folder);
	expect(output).toMatch(new RegExp(`To continue: npm run save -- ${folder}$`));

	kv.intercept = async (request, next) => next(request);
	const complete = folder.replace("-incomplete", "");
	expect(await succeed(...SAVE, folder)).toBe(
		`101 plants\nSaved 101 plants in ${complete}`,
	);
	expect(folders()).toEqual([complete]);
	expect(ls(complete)).toHaveLength(2);
	expect(keysRead).toEqual(Object.keys(plants).slice(0, 100));
});

it("continues a save that could not write a whole file", async () => {
	const value = "x".repeat(100_000);
	const { folders, succeed, fail } = await newStore({ 7: value, 8: value });
	await fail("sh", "-c", `ulimit -f 200; exec "$@"`, "sh", ...SAVE);
	const [folder = ""] = folders();
	expect(await succeed(...SAVE, folder)).toMatch(/Saved 2 plants in .*\d$/);
});

it("saves no value that is not a string", async () => {
	const { kv, folders, fail } = await newStore({ 7: "plant 7" });
	kv.intercept = async (request, next) =>
		request.url.endsWith("/bulk/get")
			? Response.json({
					success: true,
					result: { values: { 7: { text: "x" } } },
				})
			: next(request);
	expect(await fail(...SAVE)).toContain("Wrangler printed");
	expect(folders()).toEqual([]);
});

it.each([
	["save", ["backup-1"], "backup-1 is not an incomplete save."],
	["save", ["--env=x"], "--env=x is not an incomplete save."],
	["restore", [], "Name the folder of a complete save."],
	["restore", ["x-incomplete"], "Name the folder of a complete save."],
	["restore", ["src"], "src has no plants."],
])("refuses %s %j", async (script, args, reason) => {
	const { kv, fail } = await newSave();
	const command = [process.execPath, `scripts/${script}.mjs`, ...args];
	expect(await fail(...command)).toBe(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	"",
	"[{",
	"{}",
	"[null]",
	'[{"value":"x"}]',
	'[{"key":"9","value":1}]',
])(
	"names the file with %j, and neither restores nor continues the save",
	async (text) => {
		const { kv, top, fail, write } = await newSave();
		write("backup-1/plants-2.json", text);
		expect(await fail(...RESTORE)).toContain(
			"backup-1/plants-2.json is broken: ",
		);
		fs.renameSync(`${top}/backup-1`, `${top}/backup-1-incomplete`);
		expect(await fail(...SAVE, "backup-1-incomplete")).toContain(
			"backup-1-incomplete/plants-2.json is broken: ",
		);
		expect(kv.requests).toEqual([]);
	},
);

it("says how to log in", async () => {
	const { kv } = await newStore({});
	const { CLOUDFLARE_API_BASE_URL } = kv.variables;
	const { fail } = newCheckout({ CLOUDFLARE_API_BASE_URL });
	expect(await fail(...SAVE)).toMatch(
		/\nYou are not logged in. Run: npx wrangler login$/,
	);
});

it.each([
	["bulk", 401, "Authentication error"],
	["bulk/get", 500, "KV is down"],
])("ends a restore when %s returns %d", async (path, status, message) => {
	const { kv, fail } = await newSave();
	kv.intercept = async (request, next) =>
		request.url.endsWith(`/${path}`) ? failure(status, message) : next(request);
	const output = await fail(...RESTORE);
	expect(output).toContain(message);
	expect(output).not.toContain("npx wrangler login");
	expect(output).toMatch(/\nRestore again: npm run restore -- backup-1$/);
});

it("compares again after 90 s, when KV first returns an old value", async () => {
	const { kv, succeed } = await newSave();
	let reads = 0;
	kv.intercept = async (request, next) => {
		if (request.url.endsWith("/bulk/get") && ++reads === 1) {
			const values = { 7: "old", 8: "plant 8", 9: "plant 9" };
			return Response.json({ success: true, result: { values } });
		}
		return next(request);
	};
	expect(await succeed(...RESTORE)).toBe(`Stored 1 of 1 files
1 plants differ. Compares again in 90 s.
Waited for 90000 ms
Restored 3 plants from backup-1`);
});

it("names the plants that KV did not write", async () => {
	const { kv, getAll, fail } = await newSave();
	kv.intercept = async (request, next) => {
		if (request.method !== "PUT") return next(request);
		const plants = (await request.json()) as { key: string }[];
		const body = JSON.stringify(plants.filter(({ key }) => key === "8"));
		const { url, headers } = request;
		return next(new Request(url, { method: "PUT", headers, body }));
	};
	expect(await fail(...RESTORE)).toMatch(
		/2 plants differ: 7, 9\nRestore again: npm run restore -- backup-1$/,
	);
	expect(await getAll()).toEqual({ 7: "old", 8: "plant 8" });
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"ends Wrangler, too, and leaves no temporary file after %s",
	async (signal) => {
		const { kv, start, ls } = await newSave();
		const closed = Promise.withResolvers<void>();
		const requested = new Promise<void>((resolve) => {
			kv.intercept = (_request, _next, connection) => {
				connection.on("close", () => closed.resolve());
				resolve();
				return new Promise(() => {});
			};
		});
		const [program = "", ...args] = RESTORE;
		const restore = start(program, ...args);
		await Promise.race([requested, restore.ended]);
		restore.kill(signal);
		expect(await restore.ended).toEqual({
			status: 1,
			output: "Restore again: npm run restore -- backup-1",
		});
		expect(ls("../temp")).toEqual([]);
		await closed.promise;
	},
);
