// The scripts run the real Wrangler. A local server takes the place of Cloudflare's API.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { resolve } from "node:path";
import { expect, it } from "vitest";
import { newCheckout } from "./checkout.ts";
import { serveKv } from "./server.ts";

const FOLDER = "backup-1";
const SAVE = [process.execPath, "scripts/save.mjs"];
const RESTORE = [
	process.execPath,
	`--import=${resolve("test/scripts/clock.mjs")}`,
	"scripts/restore.mjs",
];

/** A checkout, and a namespace with 120 plants of 100 KB: more than one file has. */
function newStore() {
	const kv = serveKv();
	for (let id = 1; id <= 120; id++) {
		kv.plants.set(`${id}`, JSON.stringify({ name: `${id}`.padEnd(100_000) }));
	}
	return { kv, ...newCheckout(kv.variables) };
}

/** The same with a complete save of three plants. */
function newSave() {
	const store = newStore();
	const plants = [..."789"].map((key) => ({ key, value: `{"name":"${key}"}` }));
	fs.mkdirSync(`${store.top}/${FOLDER}`);
	store.write(`${FOLDER}/plants-1.json`, JSON.stringify(plants));
	return store;
}

it("saves the plants for the owner alone, and restores them", async () => {
	const { kv, top, succeed, write, ls } = newStore();
	// Wrangler prefers this file to wrangler.toml.
	write("../wrangler.json", '{ "name": "another" }');
	kv.getLimit = 6_000_000;
	const saved = await succeed("sh", "-c", "umask 022; npm run save");
	const [, folder = ""] = /Saved 120 plants in (backup-\d+)$/.exec(saved) ?? [];
	expect(ls(folder), saved).toEqual(["plants-1.json", "plants-2.json"]);
	for (const path of fs.globSync(`${top}/${folder}{,/*}`)) {
		const { mode, size } = fs.statSync(path);
		expect(mode & 0o077, path).toBe(0);
		expect(size, path).toBeLessThan(11_000_000);
	}
	const before = new Map(kv.plants);
	for (const id of ["10", "110"]) kv.plants.delete(id);
	for (const id of ["20", "120", "another"]) kv.plants.set(id, "{}");
	const restored = await succeed("npm", "run", "restore", folder);
	expect(restored).toMatch(/Restored 120 plants from backup-\d+$/);
	expect(kv.plants).toEqual(before.set("another", "{}"));
	// Wrangler's log files would have the plants.
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files).not.toContainEqual(expect.stringMatching(/wrangler-.*log$/));
});

it.each(["backup-1", "backup-1-incomplete"])("git ignores %s", (folder) => {
	const path = `${folder}/plants-1.json`;
	expect(() => execFileSync("git", ["check-ignore", path])).not.toThrow();
});

it("continues a save, and reads no plant of its files again", async () => {
	const { kv, succeed, fail, ls, read } = newStore();
	kv.intercept = () => (kv.keysRead.length > 0 ? { status: 500 } : undefined);
	const output = await fail(...SAVE);
	const [, folder = ""] =
		/npm run save -- (backup-\d+-incomplete)$/.exec(output) ?? [];
	expect(ls(folder), output).toEqual(["plants-1.json"]);
	const inFile = JSON.parse(read(`${folder}/plants-1.json`));
	kv.intercept = () => undefined;
	kv.keysRead = [];
	expect(await succeed(...SAVE, folder)).toMatch(/Saved 120 plants in .*\d$/);
	const expected = ["deleted", ...kv.plants.keys()];
	const keys = inFile.map(({ key }: { key: string }) => key);
	expect([...keys, ...kv.keysRead].sort()).toEqual(expected.sort());
});

it("continues a save that could not write a file", async () => {
	const { succeed, fail, ls } = newStore();
	const line = `ulimit -f 5000; exec "$@"`;
	await fail("sh", "-c", line, "sh", ...SAVE);
	const [folder = ""] = ls().filter((name) => name.startsWith("backup"));
	expect(await succeed(...SAVE, folder)).toMatch(/Saved 120 plants in .*\d$/);
});

it("saves nothing when Wrangler prints another format", async () => {
	const { kv, fail, ls } = newStore();
	kv.plants.set("7", { text: "x" } as never);
	const output = await fail(...SAVE);
	expect(output).toContain("Wrangler printed");
	const folders = ls().filter((name) => name.startsWith("backup"));
	expect(folders).toEqual([expect.stringMatching(/-incomplete$/)]);
});

it.each([
	["save", [FOLDER], "backup-1 is not an incomplete save."],
	["save", ["--env=x"], "--env=x is not an incomplete save."],
	["restore", [], "Name the folder of a complete save."],
	["restore", [`${FOLDER}-incomplete`], "Name the folder of a complete save."],
	["restore", ["src"], "src has no plants."],
])("refuses %s %j", async (script, args, reason) => {
	const { kv, fail } = newSave();
	const command = [process.execPath, `scripts/${script}.mjs`, ...args];
	expect(await fail(...command)).toBe(reason);
	expect(kv.requests).toEqual([]);
});

it("restores nothing when a file is not JSON", async () => {
	const { kv, fail, write } = newSave();
	write(`${FOLDER}/plants-2.json`, "[{");
	await fail(...RESTORE, FOLDER);
	expect(kv.requests).toEqual([]);
});

it.each([
	["bulk", 401, "Authentication error"],
	["bulk/get", 500, "KV is down"],
])(
	"ends a restore when %s returns %d, and does not send it again in parts",
	async (path, status, message) => {
		const { kv, fail } = newSave();
		let failures = 0;
		kv.intercept = (request) => {
			if (!request.endsWith(`/${path}`)) return undefined;
			failures++;
			return { status, errors: [{ code: 10_000, message }] };
		};
		const output = await fail(...RESTORE, FOLDER);
		expect(output).toContain(message);
		expect(output).toMatch(/\nRestore again: npm run restore -- backup-1$/);
		expect(failures).toBe(1);
	},
);

it("compares again when KV first returns an old value", async () => {
	const { kv, succeed } = newSave();
	kv.unwritten = "7";
	kv.intercept = (path) => {
		if (path.endsWith("/get") && kv.keysRead.length > 0) {
			kv.plants.set("7", '{"name":"7"}');
		}
		return undefined;
	};
	const output = await succeed(...RESTORE, FOLDER);
	expect(output).toContain("1 plants differ.");
	expect(output).toMatch(/Restored 3 plants from backup-1$/);
});

it("names the plants that KV did not write", async () => {
	const { kv, fail } = newSave();
	kv.unwritten = "7";
	expect(await fail(...RESTORE, FOLDER)).toMatch(
		/1 plants differ: 7\nRestore again: .+$/,
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
		const [program = "", ...args] = RESTORE;
		const restore = start(program, ...args, FOLDER);
		await Promise.race([requested, restore.ended]);
		restore.kill(signal);
		const output = "Restore again: npm run restore -- backup-1";
		expect(await restore.ended).toEqual({ status: 1, output });
		expect(ls("../temp")).toEqual([]);
		await closed;
	},
);
