import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { expect, it } from "vitest";
import { failure, success } from "./server.ts";
import { type Kv, newPlants, newStore, on, SAVE, SHELL } from "./store.ts";

/** Lists 105 keys at once, and the key 6, too: KV lists a deleted key for a minute. */
const listDeleted: Kv["intercept"] = async (request, next) => {
	const url = new URL(request.url);
	const last = url.searchParams.get("cursor") ?? "+&";
	if (!last.startsWith("+&")) return failure(400, "Wrong cursor");
	url.searchParams.set("cursor", last.slice(2));
	url.searchParams.set("limit", "105");
	const response = await next(new Request(url, request));
	const { result, ...page } = (await response.json()) as Keys;
	const cursor = page.result_info.cursor && `+&${page.result_info.cursor}`;
	const keys = [...result, { name: "6" }];
	return Response.json({ ...page, result: keys, result_info: { cursor } });
};
interface Keys {
	result: object[];
	result_info: { cursor: string };
}

it("saves the plants for the owner only, and restores them", async () => {
	const plants = newPlants("{}", 110);
	// The largest body is {"id":8,"name":"…"} with 102,400 bytes: two for each quote.
	plants[8] = JSON.stringify({ name: '"'.repeat(51_190) });
	// The last is valid UTF-8.
	plants[7] = "\u2028\u2029\r\n\u0085\ufffd";
	const { kv, saves, top, succeed, read, write } = newStore();
	// Wrangler prefers this file to wrangler.toml.
	write("../wrangler.json", "{");
	for (const entry of Object.entries(plants)) kv.plants.set(...entry);

	on(kv, "/keys", listDeleted);
	const saved = await succeed("sh", "-c", `${SHELL} npm run save`);
	const [file = ""] = saves();
	expect(file).toMatch(/^backup-\d{17}\.jsonl$/); // Each save has its own.
	expect(saved).toContain("Saved 105 plants of 106 keys\n");
	expect(saved.split("\n").at(-1)).toBe(
		`Saved 112 plants of 114 keys in ${file}`,
	);
	expect(fs.statSync(`${top}/${file}`).mode & 0o077).toBe(0);
	const texts = read(file).trimEnd().split("\n");
	const entries = texts.map((text) => Object.values(JSON.parse(text)));
	expect(Object.fromEntries(entries)).toEqual(plants);

	kv.plants.set("201", "changed");
	kv.plants.delete("202");
	kv.plants.set("another", "{}");
	// Editors may write a byte order mark, CRLF and empty lines, and no line feed at the end.
	const edited = `\ufeff${read(file).replaceAll("\n", "\r\n\r\n")}`;
	write(file, edited.trimEnd());
	const shell = `${SHELL} cd src; npm run restore -- ../${file}`;
	const restored = (await succeed("sh", "-c", shell)).split("\n");
	expect(restored.at(-1)).toBe(`Restored 112 plants from ${top}/${file}`);
	expect(Object.fromEntries(kv.plants)).toEqual({ ...plants, another: "{}" });

	// Wrangler's log files would have the token.
	const files = fs.readdirSync(`${top}/..`, { recursive: true });
	expect(files).not.toContainEqual(expect.stringMatching(/wrangler-.*log$/));
});

it.each(["backup-1.jsonl", "backup-1.incomplete"])("git ignores %s", (file) => {
	expect(() => execFileSync("git", ["check-ignore", file])).not.toThrow();
});

it("saves nothing of a namespace without plants", async () => {
	const { kv, saves, fail } = newStore();
	kv.plants.delete("7");
	on(kv, "/keys", listDeleted);
	const reason = /There are no plants. Is it the right account\?$/;
	expect(await fail(...SAVE)).toMatch(reason);
	expect(saves()).toEqual([]);
});

/** A namespace with 102 plants, whose second get has the response of `respond`. */
function newLargeStore(respond: () => Promise<Response>) {
	const store = newStore();
	const incomplete: string[] = [];
	const plants = Object.entries(newPlants("{}", 101));
	for (const entry of plants) store.kv.plants.set(...entry);
	on(store.kv, "/bulk/get", async (request, next) => {
		const text = await request.clone().text();
		if (text.includes('"101"')) return next(request);
		incomplete.push(...store.saves());
		return respond();
	});
	return { incomplete, ...store };
}

it.each([
	["a get fails", failure(503, "Please wait"), / 503 .*10000.*Please wait/],
	["a value is missing", success({ values: {} }), /\d is not text/],
	["a get has no result", success(null), /\d is not text/],
])("leaves no file of a save when %s", async (_, response, reason) => {
	const respond = async () => response.clone();
	const { incomplete, saves, fail } = newLargeStore(respond);
	expect(await fail(...SAVE)).toMatch(reason);
	expect(incomplete).not.toEqual([]);
	expect(saves()).toEqual([]);
});

it("takes a page without a cursor for the last one only if it is not full", async () => {
	const { kv, saves, fail, succeed } = newStore();
	on(kv, "/keys", async () => success(Array(1000).fill({ name: "7" })));
	expect(await fail(...SAVE)).toMatch(/1,000 keys has no cursor/);
	expect(saves()).toEqual([]);
	on(kv, "/keys", async () => success(Array(999).fill({ name: "7" })));
	expect(await succeed(...SAVE)).toContain("Saved 999 plants of 999 keys in");
});

it("leaves no file of a save that is interrupted", async () => {
	let gets = 0;
	const { saves, start, ls } = newLargeStore(() => {
		if (++gets === runs.length) for (const { kill } of runs) kill();
		return new Promise(() => {});
	});
	const runs = (["SIGINT", "SIGTERM", "SIGHUP"] as const).map((signal) => {
		const { ended, kill } = start(...SAVE);
		return { ended, kill: () => kill(signal) };
	});
	for (const { ended } of runs) expect((await ended).status).toBe(1);
	expect(saves()).toEqual([]);
	expect(ls("../temp")).toEqual([]);
});
