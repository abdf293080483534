import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, TERMINAL } from "./checkout.ts";

it("writes one token for the owner alone", async () => {
	const { top, succeed } = newCheckout();
	const output = await succeed("new-token");
	expect(output).toBe(
		`scripts/new-token: Wrote a new token and 0 tokens in use into ${fs.realpathSync(top)}/secrets.json.`,
	);
	const file = fs.readFileSync(`${top}/secrets.json`, "utf8");
	expect(file).toMatch(/^{"ACCESS_TOKEN":"[\w.~+/-]{40,}=*"}\n$/);
	expect(fs.statSync(`${top}/secrets.json`).mode & 0o077).toBe(0);
});

it("keeps the tokens in use, and prints none", async () => {
	const { top, succeed } = newCheckout();
	const output = await succeed(
		"printf 'one\\r\\na._~+/-b==' | env SHELLOPTS=xtrace new-token --keep 2",
	);
	expect(output).toMatch(/Wrote a new token and 2 tokens in use into \S+$/);
	expect(output).not.toContain("a._~+/-b==");
	const file = fs.readFileSync(`${top}/secrets.json`, "utf8");
	expect(file).toMatch(
		/^{"ACCESS_TOKEN":"[\w.~+/-]{40,}=* one a\._~\+\/-b=="}\n$/,
	);
});

it("writes another token the next time", async () => {
	const { run, succeed } = newCheckout();
	await succeed("new-token && mv ../secrets.json . && new-token");
	const { status } = await run("cmp secrets.json ../secrets.json");
	expect(status).toBe(1);
});

it("replaces no file", async () => {
	const { top, run } = newCheckout();
	fs.writeFileSync(`${top}/secrets.json`, "x");
	const { output, status } = await run("new-token");
	expect(output).toMatch(/secrets\.json exists\..* Nothing is written\.$/);
	expect(status).toBe(1);
	expect(fs.readFileSync(`${top}/secrets.json`, "utf8")).toBe("x");
});

it("does not write through a link", async () => {
	const { top, run } = newCheckout();
	fs.symlinkSync("target", `${top}/secrets.json`);
	const { output, status } = await run("new-token");
	expect(output).not.toContain("Wrote");
	expect(status).not.toBe(0);
	expect(fs.existsSync(`${top}/target`)).toBe(false);
});

it("writes into its checkout, whatever CDPATH is", async () => {
	const { top, succeed } = newCheckout();
	const other = newCheckout();
	await succeed(`cd .. && CDPATH=${other.top} scripts/new-token`);
	expect(fs.existsSync(`${top}/secrets.json`)).toBe(true);
});

it.each([
	["another option", "new-token --kept"],
	["another option before --keep", "echo one | new-token --all --keep 1"],
	["no number", "echo one | new-token --keep"],
	["the number 0", "true | new-token --keep 0"],
	["an input without a token", "true | new-token --keep 1"],
	["fewer tokens than the number", "echo one | new-token --keep 2"],
	["more tokens than the number", "echo one two | new-token --keep 1"],
	["a word of JSON", `echo 'one {"A":"x' | new-token --keep 2`],
	["the word Bearer", "echo Bearer one | new-token --keep 2"],
	["the word bEARER", "echo one bEARER | new-token --keep 2"],
	["the pattern of a file name", "echo 'pub*' | new-token --keep 1"],
	["an equals sign inside", "echo a=b | new-token --keep 1"],
	["= alone", "echo = | new-token --keep 1"],
	["é", "echo é | LC_ALL=C.UTF-8 new-token --keep 1"],
])("refuses %s", async (_, command) => {
	const { top, run } = newCheckout();
	const { output, status } = await run(command);
	expect(output, command).toMatch(/\. Nothing is written\.$/);
	expect(status, command).toBe(1);
	expect(fs.existsSync(`${top}/secrets.json`)).toBe(false);
});

it("does not show the paste, and ignores Ctrl-Z", async () => {
	const { succeed } = newCheckout("scripts/wrangler", TERMINAL);
	const output = await succeed("echo one | new-token --keep 1");
	expect(output).toMatch(
		/^Paste .*\nstty -echo\ntrap -- '' SIGTSTP\n.* Wrote .*\nstty echo\n.*$/,
	);
});
