// The scripts run the real Wrangler. A local server takes the place of Cloudflare's API.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { command, newCheckout, serveKv } from "./checkout.ts";

const clock = resolve("test/scripts/clock.mjs");
const SAVE = command("save");
const [node = "", script = ""] = command("restore");
const RESTORE = [node, `--import=${clock}`, script];
const FOLDER = "backup-production-1";

/** A checkout, and a namespace with 120 plants. */
function newStore() {
	const kv = serveKv();
	for (let id = 1; id <= 120; id++) {
		kv.plants.set(`${id}`, JSON.stringify({ name: `${id}`.padEnd(11_000) }));
	}
	return { kv, ...newCheckout(kv.variables) };
}

/** The same with a complete save in two files. */
function newSave() {
	const store = newStore();
	const plants = [...store.kv.plants].map(([key, value]) => ({ key, value }));
	const files = {
		keys: [[], []],
		"plants-1": plants.slice(0, 100),
		"plants-2": plants.slice(100),
		saved: plants.map(({ key }) => key),
	};
	fs.mkdirSync(`${store.top}/${FOLDER}`);
	for (const [name, value] of Object.entries(files)) {
		store.write(`${FOLDER}/${name}.json`, JSON.stringify(value));
	}
	return store;
}

it("saves production for the owner alone, and restores it", async () => {
	const { kv, top, succeed } = newStore();
	const saved = await succeed("sh", "-c", "umask 022; npm run save");
	const [, folder] =
		/\[production\] Saved 120 plants of 121 keys in (backup-production-\d+)$/.exec(
			saved,
		) ?? [];
	const paths = fs.globSync(`${top}/${folder}{,/*}`);
	expect(paths.length, saved).toBeGreaterThan(3);
	for (const path of paths) {
		expect(fs.statSync(path).mode & 0o077, path).toBe(0);
	}
	const before = new Map(kv.plants);
	kv.plants.clear();
	const restored = await succeed("npm", "run", "restore", `${folder}`);
	expect(restored).toMatch(/\[production\] Restored 120 plants from .*$/);
	expect(kv.plants).toEqual(before);
});

it("saves into a folder that git ignores", () => {
	const path = `${FOLDER}/keys.json`;
	expect(() => execFileSync("git", ["check-ignore", path])).not.toThrow();
});

it("continues a save, and reads no plant again that clients may have deleted", async () => {
	const { kv, succeed, fail } = newStore();
	const before = new Map(kv.plants);
	kv.intercept = () => (kv.keysRead.length > 0 ? { status: 500 } : undefined);
	expect(await fail(...SAVE, FOLDER)).toMatch(
		/\[production\] Failed: see above\.\nTo continue, add this folder: ".+"$/,
	);
	const firstKeys = kv.keysRead.splice(0);
	for (const key of firstKeys) kv.plants.delete(key);

	kv.intercept = () => undefined;
	const output = await succeed(...SAVE, FOLDER);
	expect(output).toMatch(/Saved 120 plants of 121 keys in .*$/);
	expect([...firstKeys, ...kv.keysRead].sort()).toEqual(
		[...before.keys(), "deleted"].sort(),
	);
	await succeed(...RESTORE, FOLDER);
	expect(kv.plants).toEqual(before);
});

it("continues a save that could not write a file", async () => {
	const { kv, succeed, fail } = newStore();
	const line = `ulimit -f 500; exec "$@"`;
	await fail("sh", "-c", line, "sh", ...SAVE, FOLDER);
	await succeed(...SAVE, FOLDER);
	const before = new Map(kv.plants);
	kv.plants.clear();
	await succeed(...RESTORE, FOLDER);
	expect(kv.plants).toEqual(before);
});

it("changes no complete save", async () => {
	const { kv, fail } = newSave();
	const output = await fail(...SAVE, FOLDER);
	expect(output).toBe("It is complete.\n[production] Failed: see above.");
	expect(kv.requests).toEqual([]);
});

it("restores the plants, keeps the others, and leaves no temporary file and no log file", async () => {
	const { kv, top, succeed, ls } = newSave();
	const before = new Map(kv.plants);
	for (const id of ["10", "110"]) kv.plants.delete(id);
	for (const id of ["20", "120", "another"]) kv.plants.set(id, "{}");
	const output = await succeed(...RESTORE, FOLDER);
	expect(output).toMatch(/\[production\] Restored 120 plants from .*$/);
	expect(kv.plants).toEqual(before.set("another", "{}"));
	expect(ls("../temp")).toEqual([]);
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files.filter((path) => `${path}`.endsWith(".log"))).toEqual([]);
});

it("saves and restores more than KV takes at once", async () => {
	const { kv, succeed } = newStore();
	// 100 plants have more. Real limits would take a minute.
	kv.limits = { get: 600_000, put: 600_000 };
	const before = new Map(kv.plants);
	await succeed(...SAVE, FOLDER);
	kv.plants.clear();
	await succeed(...RESTORE, FOLDER);
	expect(kv.plants).toEqual(before);
});

it.each<[string, string, (folder: string) => void]>([
	[
		"a file is missing",
		"Nothing is written: 20 plants are in no file",
		(folder) => fs.rmSync(`${folder}/plants-2.json`),
	],
	[
		"a file is not JSON",
		"plants-2.json: SyntaxError",
		(folder) => fs.writeFileSync(`${folder}/plants-2.json`, "[{"),
	],
	[
		"an editor renamed a file",
		"Nothing is written: 20 plants are in no file",
		(folder) =>
			fs.renameSync(`${folder}/plants-2.json`, `${folder}/plants-2.json~`),
	],
	[
		"a plant has no value",
		"Nothing is written: 20 plants are in no file",
		(folder) => fs.writeFileSync(`${folder}/plants-2.json`, '[{"key":"120"}]'),
	],
	[
		"the save is incomplete",
		"Name the folder of a complete save",
		(folder) => fs.rmSync(`${folder}/saved.json`),
	],
])("restores nothing when %s", async (_, reason, change) => {
	const { kv, top, fail } = newSave();
	change(`${top}/${FOLDER}`);
	const output = await fail(...RESTORE, FOLDER);
	expect(output).toContain(reason);
	expect(output).toMatch(/\n\[production\] Failed: see above\.$/);
	expect(kv.requests).toEqual([]);
});

it.each([
	["bulk", 401, "Authentication error"],
	["bulk", 429, "Too many requests"],
	["bulk/get", 500, "KV is down"],
])(
	"ends a restore when %s returns %d, and does not send it again in parts",
	async (path, status, message) => {
		const { kv, fail } = newSave();
		const isRequest = (request: string) => request.endsWith(`/${path}`);
		kv.intercept = (request) =>
			isRequest(request)
				? { status, errors: [{ code: 10_000, message }] }
				: undefined;
		const output = await fail(...RESTORE, FOLDER);
		expect(output).toContain(message);
		expect(output).toMatch(/\n\[production\] Failed: see above\.$/);
		expect(kv.requests.filter(isRequest).length).toBe(1);
	},
);

it("waits a minute until KV returns the restored plants", async () => {
	const { kv, succeed } = newSave();
	const value = kv.plants.get("7");
	kv.plants.set("7", "{}");
	kv.unwritten = "7";
	kv.intercept = () => {
		if (kv.paused >= 60_000) kv.plants.set("7", `${value}`);
		return undefined;
	};
	const output = await succeed(...RESTORE, FOLDER);
	expect(output).toContain("1 of 120 plants differ, such as 7\n");
	expect(output).toMatch(/\[production\] Restored 120 plants from .*$/);
});

it("names a plant that KV did not write", async () => {
	const { kv, fail } = newSave();
	kv.plants.delete("7");
	kv.unwritten = "7";
	expect(await fail(...RESTORE, FOLDER)).toMatch(
		/differ, such as 7\nRestore again\.\n\[production\] Failed: see above\.$/,
	);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"ends Wrangler, too, and leaves no temporary file after %s",
	async (signal) => {
		const { kv, start, ls } = newSave();
		let closed: Promise<void> | undefined;
		const requested = new Promise<void>((resolve) => {
			kv.intercept = (_, connection) => {
				closed = new Promise((resolve) => connection.on("close", resolve));
				resolve();
				return new Promise(() => {});
			};
		});
		const restore = start([...RESTORE, FOLDER]);
		await Promise.race([requested, restore.ended]);
		restore.kill(signal);
		expect(await restore.ended).toEqual({
			status: 1,
			output: expect.stringMatching(
				/^Interrupted\.\n\[production\] Failed: see above\.$/,
			),
		});
		expect(ls("../temp")).toEqual([]);
		await closed;
	},
);

it.each([
	["save --unknown", "Unknown option '--unknown'"],
	["restore backup-production-1 x", "is not a save of production."],
	[
		"restore backup-staging-1",
		"production. For a save of another environment, add --env NAME",
	],
	["restore -e x backup-production-1", "is not a save of x."],
	["restore --local backup-production-1", "is not a save of local."],
	["restore backup-production-2-1", "is not a save of production."],
])("refuses %s", async (line, reason) => {
	const { kv, fail } = newStore();
	const output = await fail(...command(line));
	expect(output).toContain(reason);
	expect(output).toMatch(/\nFailed: see above\.$/);
	expect(kv.requests).toEqual([]);
});

it("saves nothing when Wrangler prints another format", async () => {
	const { kv, fail, ls } = newStore();
	kv.plants.set("7", { text: "x" } as never);
	expect(await fail(...SAVE, FOLDER)).toContain("Wrangler printed");
	expect(ls(FOLDER)).toEqual(["keys.json"]);
});

it("saves and restores the local namespace, whatever WRANGLER_LOG is", async () => {
	const { succeed, read } = newCheckout({ WRANGLER_LOG: "debug" });
	const wrangler = command("wrangler kv key");
	const options = ["--binding=PLANTS", "--local", "--config=wrangler.toml"];
	const plant = String.raw`{"name":"\u0000\ud800"}`;
	await succeed(...wrangler, "put", "7", plant, ...options);
	await succeed(...SAVE, "--local", "backup-local-1");
	await succeed(...wrangler, "delete", "7", ...options);
	await succeed(...RESTORE, "--local", "backup-local-1");
	await succeed(...SAVE, "--local", "backup-local-2");
	const saved = JSON.parse(read("backup-local-2/plants-1.json"));
	expect(saved).toEqual([{ key: "7", value: plant }]);
});
