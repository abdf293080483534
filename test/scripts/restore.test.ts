import fs from "node:fs";
import { expect, it } from "vitest";
import { failure, storedAll, success } from "./server.ts";
import {
	ANY_ACCOUNT,
	line,
	lines,
	newPlants,
	newStore,
	on,
	RESTORE,
} from "./store.ts";

it.each([
	["nothing", "", /\nName one file, .+$/],
	["two saves", "backup-1.jsonl backup-2.jsonl", /\nName one file, .+$/],
	["an incomplete save", "backup-1.incomplete", /\nName one file, .+$/],
	["a missing file", "x", /\nThere is no regular file .+\/checkout\/x$/],
	["a pipe", "/dev/stdin", /\nThere is no regular file \/dev\/stdin$/],
	[
		"a file without plants",
		"empty.jsonl",
		/\/empty.jsonl has no plants from line 1 on.$/,
	],
])("does not restore %s", async (_, args, reason) => {
	const { kv, fail, write } = newStore();
	write("backup-1.incomplete", lines({ 7: "plant 7" }));
	write("empty.jsonl", "\n");
	const shell = `cat backup-1.jsonl | npm run restore -- ${args}`;
	expect(await fail("sh", "-c", shell)).toMatch(reason);
	expect(kv.requests).toEqual([]);
});

it.each([
	"{",
	"null",
	'{"value":"x"}',
	'{"key":"9","value":1}',
	// Not UTF-8, but Latin-1.
	line(["9", "Caf\xe9"]),
])("stores nothing, and names the line %j", async (text) => {
	const { kv, file, fail } = newStore();
	fs.appendFileSync(file, text, "latin1");
	expect(await fail(...RESTORE)).toBe(
		`Reads ${file}\nLine 4 of ${file} is not a plant in UTF-8.`,
	);
	expect(kv.requests).toEqual([]);
});

it("stores at most 1,000 plants and 10 MB at once, and each key once", async () => {
	const { kv, waits, write, succeed } = newStore();
	const large = newPlants("€".repeat(70_000), 50);
	const plants = { ...newPlants("new", 1100), ...large };
	write("backup-1.jsonl", lines(newPlants("old", 1100)) + lines(plants));
	let sent = "";
	const sizes: number[] = [];
	const lengths: number[] = [];
	on(kv, "/bulk", async (request) => {
		const body = await request.text();
		sizes.push(Buffer.byteLength(body));
		const batch: object[] = JSON.parse(body);
		lengths.push(batch.length);
		sent += batch.map((plant) => `${JSON.stringify(plant)}\n`).join("");
		return storedAll(batch);
	});
	const output = await succeed(...RESTORE);
	expect(lengths.length).toBeLessThan(10);
	expect(Math.max(...lengths)).toBeLessThanOrEqual(1000);
	expect(Math.max(...sizes)).toBeLessThanOrEqual(10_000_000);
	expect(output).toContain("Restored 1100 plants from");
	// Three requests a second. None needs to wait before the first, or after the last.
	expect(Math.min(...waits())).toBeGreaterThanOrEqual(333);
	expect(waits().length).toBeGreaterThanOrEqual(kv.requests.length - 1);
	expect(sent === lines(plants)).toBe(true);
});

it("names the plants of a file that became shorter meanwhile", async () => {
	const { kv, file, continueAt, fail } = newStore("");
	on(kv, "/accounts", async (request, next) => {
		fs.truncateSync(file, line(["7", "plant 7"]).length);
		return next(request);
	});
	const output = (await fail(...ANY_ACCOUNT, ...RESTORE)).split("\n");
	expect(output.slice(-2)).toEqual([
		"2 plants are not stored: 8,9",
		continueAt(2),
	]);
});

it.each([
	{ successful_key_count: 1000 },
	{ successful_key_count: 999, unsuccessful_keys: [] },
	{ successful_key_count: 999, unsuccessful_keys: ["other"] },
	null,
])("names each plant of a batch when KV returns %j", async (result) => {
	const { kv, continueAt, write, fail } = newStore();
	// Their names are more than a pipe holds.
	const keys = Array.from({ length: 1000 }, (_, i) => `${i}`.padEnd(400, "x"));
	write("backup-1.jsonl", keys.map((key) => line([key, "new"])).join(""));
	on(kv, "/bulk", async () => success(result));
	const [message = "", ...end] = (await fail(...RESTORE)).split("\n").slice(-2);
	const isWhole = message === `1000 plants are not stored: ${keys}`;
	expect(isWhole, `${message.slice(0, 200)}…`).toBe(true);
	expect(end).toEqual([continueAt(1)]);
});

it("stores the rest of a file when KV does not store some plants", async () => {
	const { kv, continueAt, write, fail } = newStore();
	const plants = newPlants("new", 1001);
	write("backup-1.jsonl", lines(plants));
	const sent: string[] = [];
	let failed: (string | undefined)[] | undefined;
	on(kv, "/bulk", async (request) => {
		const batch = (await request.json()) as { key: string }[];
		sent.push(...batch.map(({ key }) => key));
		if (failed) return storedAll(batch);
		failed = [sent[1], sent.at(-1)];
		return success({
			successful_key_count: batch.length - 2,
			unsuccessful_keys: failed,
		});
	});
	const output = (await fail(...RESTORE)).split("\n");
	expect(sent).toEqual(Object.keys(plants));
	const reason = `2 plants are not stored: ${failed}`;
	expect(output.slice(-2)).toEqual([reason, continueAt(2)]);
});

it("continues at the first line that is not stored", async () => {
	const { kv, continueAt, write, fail, succeed } = newStore();
	// Of the key 101, the last line counts: the line 2501.
	const [first = "", ...others] =
		lines(newPlants("new", 2500)).match(/.+\n/g) ?? [];
	const plants = [...others, first];
	write("backup-1.jsonl", [lines({ 101: "old" }), ...plants].join(""));
	const sent: string[][] = [];
	on(kv, "/bulk", async (request) => {
		const batch = (await request.json()) as object[];
		sent.push(batch.map((plant) => `${JSON.stringify(plant)}\n`));
		return sent.length === 2 ? failure(400, "No") : storedAll(batch);
	});
	const output = (await fail(...RESTORE)).split("\n");
	const [stored = [], refused = []] = sent;
	// The line 2 is the first that counts.
	const line = 2 + stored.length;
	expect(output.slice(-3)).toEqual([
		`Stores lines ${line} to ${line + refused.length - 1}`,
		expect.stringMatching(/PUT .* 400 .*10000.*No/),
		continueAt(line),
	]);
	await succeed(...RESTORE, `${line}`);
	const rest = sent.slice(2);
	expect(refused).toEqual(rest[0]);
	expect([stored, ...rest].flat().join("") === plants.join("")).toBe(true);
});
