import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, STAND_IN } from "./checkout.ts";

/** A checkout with the stand-in, and with the plants 0 to 249 in its store. */
function newStore() {
	const checkout = newCheckout(STAND_IN);
	const { top } = checkout;
	const store = `${top}/store`;
	fs.mkdirSync(store);
	for (let id = 0; id < 250; id++) {
		const plant = { name: `${id}`.padEnd(11_000) };
		fs.writeFileSync(`${store}/${id}`, JSON.stringify(plant));
	}
	return {
		...checkout,
		store,
		emptyStore() {
			for (const id of fs.readdirSync(store)) fs.rmSync(`${store}/${id}`);
		},
		/** All plants of the store: values by id. */
		stored() {
			const entries = fs
				.readdirSync(store)
				.map((id) => [id, fs.readFileSync(`${store}/${id}`, "utf8")]);
			return Object.fromEntries(entries);
		},
		/** The keys that Wrangler has read so far. */
		keysRead: () =>
			fs.readFileSync(`${top}/read.log`, "utf8").trim().split("\n"),
	};
}

interface SavedPlant {
	key: string;
	value?: string;
}

/** The same with a complete save, which has several files of plants. */
async function newSave() {
	const checkout = newStore();
	const save = `${checkout.top}/backup-production-1`;
	const output = await checkout.succeed(`save.mjs ${save}`);
	expect(output).toContain("Saved 250 plants");
	const files = fs.globSync(`${save}/plants-*.json`).sort();
	const lastFile = `${files.at(-1)}`;
	const plants: SavedPlant[] = JSON.parse(fs.readFileSync(lastFile, "utf8"));
	return { ...checkout, save, lastFile, plants };
}

it("saves production for the owner alone", async () => {
	const { top, succeed } = newStore();
	const output = await succeed("save.mjs");
	expect(output).toMatch(
		/\[production\] Saved 250 plants of 251 keys in \S+\/backup-production-\d+$/,
	);
	const [folder = ""] = fs.globSync(`${top}/backup-*`);
	for (const path of [folder, ...fs.globSync(`${folder}/*`)]) {
		expect(fs.statSync(path).mode & 0o077, path).toBe(0);
	}
});

it("continues a save, and reads no plant again", async () => {
	const { succeed, save, lastFile, plants, keysRead } = await newSave();
	fs.rmSync(`${save}/saved.json`);
	fs.rmSync(lastFile);
	const before = keysRead().length;
	const output = await succeed(`save.mjs ${save}`);
	expect(output).toMatch(/Saved 250 plants of 251 keys in .*$/);
	expect(keysRead().slice(before).sort()).toEqual(
		plants.map(({ key }) => key).sort(),
	);
	await succeed(`restore.mjs ${save}`);
});

it("continues a save after clients deleted all plants", async () => {
	const { succeed, save, lastFile, plants, emptyStore, stored } =
		await newSave();
	const kept = stored();
	for (const { key } of plants) delete kept[key];
	fs.rmSync(`${save}/saved.json`);
	fs.rmSync(lastFile);
	emptyStore();
	const command = `save.mjs ${save} && restore.mjs ${save}`;
	const output = await succeed(command);
	expect(output).toMatch(/Restored \d+ plants from .*$/);
	expect(stored()).toEqual(kept);
});

it("continues a save that could not write a file", async () => {
	const { top, run, succeed } = newStore();
	const save = `${top}/backup-production-1`;
	const first = await run(`ulimit -f 500; save.mjs ${save}`);
	expect(first.output).toMatch(
		/\[production\] Failed: see above\.\nTo continue, add this folder: ".*"$/,
	);
	expect(first.status).toBe(1);
	const output = await succeed(`save.mjs ${save} && restore.mjs ${save}`);
	expect(output).toMatch(/Restored 250 plants from .*$/);
});

it("changes no complete save", async () => {
	const { run, save } = await newSave();
	const { output, status } = await run(`save.mjs ${save}`);
	expect(output).toMatch(
		/^It is complete\.\n\[production\] Failed: see above\.$/,
	);
	expect(status).toBe(1);
});

it("saves all plants in two runs at once", async () => {
	const { top, succeed, start, store } = newStore();
	const save = `${top}/backup-production-1`;
	const first = start(`WAIT=1 save.mjs ${save}`);
	await first.writes(`${top}/waiting`);
	await succeed(`save.mjs ${save}`);
	// The first run then reads fewer plants than the second one.
	for (const id of [1, 2, 3]) fs.rmSync(`${store}/${id}`);
	fs.writeFileSync(`${top}/go`, "");
	expect(await first.ended).toMatchObject({ status: 0 });
	for (const file of fs.readdirSync(save)) {
		expect(file).toMatch(/^(keys|plants-\d+|saved)\.json$/);
	}
	const output = await succeed(`restore.mjs ${save}`);
	expect(output).toMatch(/Restored 250 plants from .*$/);
});

it("restores the plants, keeps the others, and leaves no temporary file", async () => {
	const { top, succeed, save, store, stored } = await newSave();
	const before = stored();
	for (let id = 1; id <= 120; id++) fs.writeFileSync(`${store}/${id}`, "{}");
	for (let id = 10; id < 20; id++) fs.rmSync(`${store}/${id}`);
	fs.writeFileSync(`${store}/1000`, "another");
	fs.mkdirSync(`${top}/t`);
	const output = await succeed(`TMPDIR=${top}/t restore.mjs ${save}`);
	expect(output).toMatch(/\[production\] Restored 250 plants from .*$/);
	expect(stored()).toEqual({ ...before, 1000: "another" });
	expect(fs.readdirSync(`${top}/t`)).toEqual([]);
});

it("saves and restores more than KV takes at once", async () => {
	const { top, succeed, store, stored } = newStore();
	// 1 MiB each, which JSON doubles.
	const large = JSON.stringify('"'.repeat(524_286));
	for (let id = 1; id < 60; id++) fs.writeFileSync(`${store}/${id}`, large);
	const before = stored();
	const save = `${top}/backup-production-1`;
	await succeed(`save.mjs ${save}`);
	fs.writeFileSync(`${store}/1`, "{}");
	const output = await succeed(`restore.mjs ${save}`);
	expect(output).toMatch(/Restored 250 plants from .*$/);
	expect(stored()).toEqual(before);
});

it.each<[string, (file: string) => void]>([
	["is missing", (file) => fs.rmSync(file)],
	["is empty", (file) => fs.writeFileSync(file, "")],
	["is not JSON", (file) => fs.writeFileSync(file, "[{")],
	["has no plants", (file) => fs.writeFileSync(file, "[]")],
	["has the suffix of a backup", (file) => fs.renameSync(file, `${file}~`)],
])("restores nothing when a file %s", async (_, change) => {
	const { run, save, lastFile, emptyStore, stored } = await newSave();
	emptyStore();
	change(lastFile);
	const { output, status } = await run(`restore.mjs ${save}`);
	expect(output).toMatch(/^.*\n\[production\] Failed: see above\.$/);
	expect(status).toBe(1);
	expect(stored()).toEqual({});
});

it.each<[string, (plant: SavedPlant) => SavedPlant[]]>([
	["is lost", () => []],
	["has no value", ({ key }) => [{ key }]],
])("restores nothing when one plant %s", async (_, change) => {
	const { run, save, lastFile, plants, emptyStore, stored } = await newSave();
	emptyStore();
	const [first, ...rest] = plants;
	const changed = [...(first ? change(first) : []), ...rest];
	fs.writeFileSync(lastFile, JSON.stringify(changed));
	const { output, status } = await run(`restore.mjs ${save}`);
	expect(output).toMatch(
		/^Nothing is written: 1 .*\n\[production\] Failed: see above\.$/,
	);
	expect(status).toBe(1);
	expect(stored()).toEqual({});
});

it("restores no incomplete save", async () => {
	const { run, save } = await newSave();
	fs.rmSync(`${save}/saved.json`);
	const { output, status } = await run(`restore.mjs ${save}`);
	expect(output).toMatch(/^Name the folder of a complete save\.\n.*$/);
	expect(status).toBe(1);
});

it("ends a restore when KV fails", async () => {
	const { run, save } = await newSave();
	const { output, status } = await run(`DOWN=1 restore.mjs ${save}`);
	expect(output).toMatch(
		/KV is down(.*\n)+\[production\] Failed: see above\.$/,
	);
	expect(status).toBe(1);
});

it("waits a minute until KV returns the restored plants", async () => {
	const { top, succeed, save, store } = await newSave();
	fs.writeFileSync(`${store}/7`, "{}");
	fs.cpSync("test/scripts/clock.mjs", `${top}/clock.mjs`);
	const command = `NODE_OPTIONS=--import=${top}/clock.mjs OLD=7 restore.mjs ${save}`;
	const output = await succeed(command);
	expect(output).toMatch(
		/1 of 250 plants differ, such as 7\n(.*\n)*.*Restored 250 plants from .*$/,
	);
});

it("names a plant that KV did not write", async () => {
	const { top, run, save, store } = await newSave();
	fs.writeFileSync(`${store}/7`, "{}");
	fs.cpSync("test/scripts/clock.mjs", `${top}/clock.mjs`);
	const command = `NODE_OPTIONS=--import=${top}/clock.mjs UNWRITTEN=7 restore.mjs ${save}`;
	const { output, status } = await run(command);
	expect(output).toMatch(
		/differ, such as 7\nRestore again\.\n\[production\] Failed: see above\.$/,
	);
	expect(status).toBe(1);
});

it("ends with Ctrl-C while a plant differs", async () => {
	const { start, save, store } = await newSave();
	fs.writeFileSync(`${store}/7`, "{}");
	const restore = start(`UNWRITTEN=7 restore.mjs ${save}`);
	await restore.prints("1 of 250 plants differ");
	restore.pressCtrlC();
	const { output, status } = await restore.ended;
	expect(output).toMatch(
		/\nInterrupted\.\n\[production\] Failed: see above\.$/,
	);
	expect(status).toBe(1);
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"ends Wrangler, too, and leaves no temporary file after %s",
	async (signal) => {
		const { top, start } = newStore();
		fs.mkdirSync(`${top}/t`);
		const save = start(`WAIT=1 TMPDIR=${top}/t save.mjs`);
		await save.writes(`${top}/waiting`);
		save.kill(signal);
		const { output, status } = await save.ended;
		expect(output).toMatch(
			/Interrupted\.\n.*Failed: see above\.\nTo continue, .*$/,
		);
		expect(status).toBe(1);
		expect(fs.readdirSync(`${top}/t`)).toEqual([]);
		await expect
			.poll(() => start(`pgrep -f ${top}/scripts/wrangler`).ended)
			.toEqual({ output: "", status: 1 });
	},
);

it.each([
	["save.mjs --persist-to a", /^--persist-to DIR needs --local\.\n.*$/],
	["restore.mjs --persist-to a", /^--persist-to DIR needs --local\.\n.*$/],
	["save.mjs --removed", /^Unknown option '--removed'.*\n.*$/],
	["restore.mjs ../backup-production-1 x", /not a save of production\.\n.*$/],
	["restore.mjs ../backup-staging-1", /not a save of production\.\n.*$/],
	["restore.mjs ../backup-production-2-1", /not a save of production\.\n.*$/],
])("refuses %s", async (command, expected) => {
	const { top, run } = newStore();
	const { output, status } = await run(command);
	expect(output).toMatch(expected);
	expect(status).toBe(1);
	expect(fs.existsSync(`${top}/calls.log`)).toBe(false);
});

it("saves and restores the local namespace, whatever WRANGLER_LOG is", async () => {
	const { top, succeed } = newCheckout();
	const plant = String.raw`{"name":"\u0000\ud800"}`;
	const commands = [
		`../scripts/wrangler kv key put 7 '${plant}' --binding PLANTS --local --persist-to a`,
		"WRANGLER_LOG=debug save.mjs --local --persist-to ../a ../backup-local-1",
		"WRANGLER_LOG=none restore.mjs --local --persist-to ../b ../backup-local-1",
		"save.mjs --local --persist-to ../b ../backup-local-2",
	];
	for (const command of commands) await succeed(command);
	await succeed("diff -r ../backup-local-1 ../backup-local-2");
	const saved = fs.readFileSync(`${top}/backup-local-2/plants-1.json`, "utf8");
	expect(JSON.parse(saved)).toEqual([{ key: "7", value: plant }]);
});
