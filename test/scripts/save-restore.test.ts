import fs from "node:fs";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { newCheckout, STAND_IN } from "./checkout.ts";

/** A checkout with the stand-in, and with the plants 0 to 249 in its store. */
function newStore() {
	const checkout = newCheckout(STAND_IN);
	const { top, ls, read, write } = checkout;
	fs.mkdirSync(`${top}/store`);
	for (let id = 0; id < 250; id++) {
		const plant = { name: `${id}`.padEnd(11_000) };
		write(`store/${id}`, JSON.stringify(plant));
	}
	return {
		...checkout,
		save: `${top}/backup-production-1`,
		deletePlants: (ids = ls("store")) =>
			ids.forEach((id) => {
				fs.rmSync(`${top}/store/${id}`);
			}),
		/** All plants of the store: values by id. */
		stored: () =>
			Object.fromEntries(ls("store").map((id) => [id, read(`store/${id}`)])),
		/** The keys that Wrangler has read so far. */
		keysRead: () => read("read.log").trim().split("\n"),
	};
}

interface SavedPlant {
	key: string;
	value?: string;
}

/** Such a checkout with a complete save of several files. */
async function newSave() {
	const store = newStore();
	const { save, succeed } = store;
	await succeed(`save.mjs ${save}`);
	const lastFile = `${fs.globSync(`${save}/plants-*.json`).sort().at(-1)}`;
	const plants: SavedPlant[] = JSON.parse(fs.readFileSync(lastFile, "utf8"));
	return { ...store, lastFile, plants };
}

it("saves production for the owner alone", async () => {
	const { top, succeed } = newStore();
	expect(await succeed("save.mjs")).toMatch(
		/\[production\] Saved 250 plants of 251 keys in \.\.\/backup-production-\d+$/,
	);
	for (const path of fs.globSync(`${top}/backup-*{,/*}`)) {
		expect(fs.statSync(path).mode & 0o077, path).toBe(0);
	}
});

it("saves into a folder that git add leaves out", async () => {
	const { succeed } = newStore();
	await succeed("save.mjs && cd .. && git init --quiet && git add .");
	expect(await succeed("git ls-files ..")).not.toContain("backup");
});

it("continues a save, and reads no plant again that clients may have deleted", async () => {
	const { save, lastFile, plants, succeed, keysRead, deletePlants, stored } =
		await newSave();
	fs.rmSync(`${save}/saved.json`);
	fs.rmSync(lastFile);
	const before = stored();
	const keys = plants.map(({ key }) => key);
	deletePlants(Object.keys(before).filter((id) => !keys.includes(id)));
	const count = keysRead().length;
	expect(await succeed(`cd ${save} && save.mjs .`)).toMatch(
		/Saved 250 plants of 251 keys in .*$/,
	);
	const read = keysRead().slice(count);
	expect(read.filter((key) => key !== "deleted").sort()).toEqual(keys.sort());
	deletePlants();
	await succeed(`cd ${save} && restore.mjs .`);
	expect(stored()).toEqual(before);
});

it("continues a save that could not write a file", async () => {
	const { save, fail, succeed } = newStore();
	const failed = await fail(`ulimit -f 500; save.mjs ${save}`);
	const [, folder] =
		/Failed: .*\nTo continue, add this folder: (".*")$/.exec(failed) ?? [];
	const output = await succeed(`save.mjs ${folder} && restore.mjs ${save}`);
	expect(output).toMatch(/Restored 250 plants from .*$/);
});

it("changes no complete save", async () => {
	const { save, fail } = await newSave();
	const output = await fail(`save.mjs ${save}`);
	expect(output).toBe("It is complete.\n[production] Failed: see above.");
});

it("saves all plants in two runs at once", async () => {
	const { top, save, start, succeed, deletePlants, ls, write } = newStore();
	const first = start(`WAIT=command save.mjs ${save}`);
	await first.writes("waiting");
	await succeed(`save.mjs ${save}`);
	// The first run then reads fewer plants than the second one.
	deletePlants(["1", "2", "3", "4", "5"]);
	write("go", "");
	expect((await first.ended).output).toMatch(/Saved 250 plants .*$/);
	const names = ls(save.slice(top.length)).join(" ");
	expect(names).toMatch(/^keys\.json( plants-\d+\.json)+ saved\.json$/);
	const output = await succeed(`restore.mjs ${save}`);
	expect(output).toMatch(/Restored 250 plants from .*$/);
});

it("restores the plants, keeps the others, and leaves no temporary file", async () => {
	const { top, save, succeed, ls, write, deletePlants, stored } =
		await newSave();
	const before = stored();
	for (let id = 1; id <= 120; id++) write(`store/${id}`, "{}");
	deletePlants(["10", "11", "12"]);
	write("store/1000", "another");
	fs.mkdirSync(`${top}/t`);
	const output = await succeed(`TMPDIR=${top}/t restore.mjs ${save}`);
	expect(output).toMatch(/\[production\] Restored 250 plants from .*$/);
	expect(stored()).toEqual({ ...before, 1000: "another" });
	expect(ls("t")).toEqual([]);
});

it("saves and restores more than KV takes at once, and more than nine files", async () => {
	const { save, succeed, write, stored, deletePlants } = newStore();
	for (let id = 250; id < 1000; id++) write(`store/${id}`, "{}");
	// One file has these: 1 MiB each, which JSON doubles.
	const large = JSON.stringify('"'.repeat(524_286));
	for (let id = 950; id < 1000; id++) write(`store/${id}`, large);
	const before = stored();
	await succeed(`save.mjs ${save}`);
	deletePlants();
	await succeed(`restore.mjs ${save}`);
	expect(stored()).toEqual(before);
});

it.each<[string, string, (file: string) => void]>([
	["a file is missing", "Nothing is written", (file) => fs.rmSync(file)],
	["a file is not JSON", "SyntaxError", (file) => fs.writeFileSync(file, "[{")],
	[
		"an editor renamed a file",
		"Nothing is written",
		(file) => fs.renameSync(file, `${file}~`),
	],
	[
		"the save is incomplete",
		"Name the folder of a complete save",
		(file) => fs.rmSync(`${dirname(file)}/saved.json`),
	],
])("restores nothing when %s", async (_, reason, change) => {
	const { save, lastFile, fail, deletePlants, stored } = await newSave();
	deletePlants();
	change(lastFile);
	const output = await fail(`restore.mjs ${save}`);
	expect(output).toContain(reason);
	expect(output).toMatch(/^.*\n\[production\] Failed: see above\.$/);
	expect(stored()).toEqual({});
});

it.each<[string, (plant?: SavedPlant) => object[]]>([
	["is lost", () => []],
	["has no value", (plant) => [{ key: plant?.key }]],
])("restores nothing when one plant %s", async (_, change) => {
	const { save, lastFile, plants, fail, deletePlants, stored } =
		await newSave();
	deletePlants();
	const [first, ...rest] = plants;
	fs.writeFileSync(lastFile, JSON.stringify([...change(first), ...rest]));
	const output = await fail(`restore.mjs ${save}`);
	expect(output).toMatch(/^Nothing is written: 1 .*\n\[production\] Failed.*$/);
	expect(stored()).toEqual({});
});

it.each(["put", "get"])(
	"ends a restore when KV fails to %s",
	async (action) => {
		const { save, fail } = await newSave();
		const output = await fail(`DOWN=${action} restore.mjs ${save}`);
		expect(output).toMatch(/KV is down(.*\n)+\[production\] Failed.*$/);
	},
);

it.each([
	[
		"waits a minute until KV returns the restored plants",
		"echo {} >../store/7; OLD=7",
		0,
		/\n.*1 of 250 plants differ, such as 7\n(.*\n)*.*Restored 250 plants .*$/,
	],
	[
		"names a plant that KV did not write",
		"rm ../store/7; UNWRITTEN=7",
		1,
		/differ, such as 7\nRestore again\.\n\[production\] Failed: see above\.$/,
	],
])("%s", async (_, state, status, output) => {
	const { save, run } = await newSave();
	const result = await run(`${state} restore.mjs ${save}`);
	expect(result).toEqual({ status, output: expect.stringMatching(output) });
});

it("ends with Ctrl-C while a plant differs", async () => {
	const { save, start, write } = await newSave();
	write("store/7", "{}");
	const restore = start(`NODE_OPTIONS= UNWRITTEN=7 restore.mjs ${save}`);
	await restore.prints("1 of 250 plants differ");
	restore.pressCtrlC();
	const output = /\nInterrupted\.\n\[production\] Failed: see above\.$/;
	expect(await restore.ended).toEqual({
		status: 1,
		output: expect.stringMatching(output),
	});
});

it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
	"ends Wrangler, too, and leaves no temporary file after %s",
	async (signal) => {
		const { top, start, ls } = newStore();
		fs.mkdirSync(`${top}/t`);
		const save = start(`WAIT=command TMPDIR=${top}/t save.mjs`);
		await save.writes("waiting");
		save.kill(signal);
		const output = /Interrupted\.\n.* Failed: see above\.\nTo continue, .*$/;
		expect(await save.ended).toEqual({
			status: 1,
			output: expect.stringMatching(output),
		});
		expect(ls("t")).toEqual([]);
		await expect
			.poll(() => start(`pgrep -fl ${top}/scripts/wrangler`).ended)
			.toEqual({ output: "", status: 1 });
	},
);

it("says in one line that it cannot run scripts/wrangler", async () => {
	const { top, fail } = newStore();
	fs.chmodSync(`${top}/scripts/wrangler`, 0o644);
	const output = await fail("save.mjs");
	expect(output).toMatch(/^.* EACCES\n\[production\] Failed: see above\.$/);
});

it.each([
	["save.mjs --removed", "Unknown option '--removed'"],
	["restore.mjs ../backup-production-1 x", "is not a save of production."],
	[
		"restore.mjs ../backup-staging-1",
		"production. For a save of another environment, add --env NAME",
	],
	["restore.mjs -e x ../backup-production-1", "is not a save of x."],
	["restore.mjs --local ../backup-production-1", "is not a save of local."],
	["restore.mjs ../xbackup-production-1", "is not a save of production."],
	["restore.mjs ../backup-production-2-1", "is not a save of production."],
])("refuses %s: %s", async (command, reason) => {
	const { fail, ls } = newStore();
	const output = await fail(command);
	expect(output).toContain(reason);
	expect(output).toMatch(/^.*\nFailed: see above\.$/);
	expect(ls()).not.toContain("calls.log");
});

it("saves and restores the local namespace, whatever WRANGLER_LOG is", async () => {
	const { succeed, read } = newCheckout();
	const plant = String.raw`{"name":"\u0000\ud800"}`;
	for (const command of [
		`../scripts/wrangler kv key put 7 '${plant}' --binding PLANTS --local`,
		"WRANGLER_LOG=debug save.mjs --local ../backup-local-1",
		"../scripts/wrangler kv key delete 7 --binding PLANTS --local",
		"WRANGLER_LOG=none restore.mjs --local ../backup-local-1",
		"save.mjs --local ../backup-local-2",
		"diff -r ../backup-local-1 ../backup-local-2",
	]) {
		await succeed(command);
	}
	const saved = JSON.parse(read("backup-local-2/plants-1.json"));
	expect(saved).toEqual([{ key: "7", value: plant }]);
});
