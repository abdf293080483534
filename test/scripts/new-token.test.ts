import fs from "node:fs";
import { expect, it } from "vitest";
import { newCheckout, TERMINAL, UNTIL_ECHO_IS_OFF } from "./checkout.ts";

/** A token in use, as short as one may be. */
const TOKEN = "token-1".padEnd(20, "x");

it("writes one token for the owner alone", async () => {
	const { top, succeed, read } = newCheckout();
	const path = `${fs.realpathSync(top)}/secrets.json`;
	expect(await succeed("new-token")).toBe(
		`scripts/new-token: Wrote a new token and 0 tokens in use into ${path}.`,
	);
	expect(read("secrets.json")).toMatch(
		/^{"ACCESS_TOKEN":"[\w.~+/-]{40,}=*"}\n$/,
	);
	expect((fs.statSync(path).mode & 0o777).toString(8)).toBe("600");
});

it("writes a file that git add leaves out", async () => {
	const { succeed } = newCheckout();
	await succeed("new-token && cd .. && git init --quiet && git add .");
	expect(await succeed("git ls-files ..")).not.toContain("secrets");
});

it("keeps the tokens in use, and prints no token", async () => {
	const { succeed, read } = newCheckout();
	const output = await succeed(
		`printf 'a._~+/-b${TOKEN}==\\r\\n${TOKEN}' | env SHELLOPTS=xtrace new-token --keep 2`,
	);
	expect(output).toMatch(
		/^(\+ set .*\n)?.*: Wrote a new token and 2 tokens in use into \S+$/,
	);
	expect(read("secrets.json")).toMatch(
		/^{"ACCESS_TOKEN":"[\w.~+/-]{40,}=* a\._~\+\/-btoken-1x+== token-1x+"}\n$/,
	);
});

it("writes another token the next time", async () => {
	const { succeed, fail } = newCheckout();
	await succeed("new-token && mv ../secrets.json . && new-token");
	await fail("cmp secrets.json ../secrets.json");
});

it("writes nothing when there is no random number", async () => {
	const { fail, program, ls } = newCheckout();
	program("scripts/od", "exit 1");
	await fail("new-token");
	expect(ls()).not.toContain("secrets.json");
});

it("replaces no file", async () => {
	const { fail, read, write } = newCheckout();
	write("secrets.json", "x");
	expect(await fail("new-token")).toMatch(/secrets\.json exists\..*$/);
	expect(read("secrets.json")).toBe("x");
});

it("does not write through a link", async () => {
	const { top, fail, ls } = newCheckout();
	fs.symlinkSync("target", `${top}/secrets.json`);
	expect(await fail("new-token")).toContain("secrets.json");
	expect(ls()).not.toContain("target");
});

it.each([
	["new-token --kept", /Usage: .*/],
	[`echo ${TOKEN} | new-token --all --keep 1`, /Usage: .*/],
	[`echo ${TOKEN} | new-token --keep`, /Usage: .*/],
	["true | new-token --keep 0", /Usage: .*/],
	["true | new-token --keep 1", /Read 0 tokens, not 1\./],
	[`echo ${TOKEN} | new-token --keep 2`, /Read 1 tokens, not 2\./],
	[`echo ${TOKEN} x${TOKEN} | new-token --keep 1`, /Read 2 tokens, not 1\./],
	[`echo ${TOKEN} ${TOKEN} | new-token --keep 2`, /Word 2 is there twice\./],
])("refuses %s", async (command, reason) => {
	const { fail, ls } = newCheckout();
	const last = new RegExp(`: ${reason.source} Nothing is written\\.$`);
	expect(await fail(command)).toMatch(last);
	expect(ls()).not.toContain("secrets.json");
});

it.each([
	"scripts/check-token",
	`{"${TOKEN}`,
	`${TOKEN}*`,
	`${TOKEN}=b`,
	"=".repeat(20),
	`${TOKEN}é`,
])("refuses the word %s", async (word) => {
	const command = `echo ${TOKEN} '${word}' | LC_ALL=C.UTF-8 new-token --keep 2`;
	const { fail, ls } = newCheckout();
	const last = /: Word 2 is not a token .* Nothing is written\.$/;
	expect(await fail(command)).toMatch(last);
	expect(ls()).not.toContain("secrets.json");
});

it("refuses a word with *, even if a file has such a name", async () => {
	const { fail, ls, write } = newCheckout();
	write(TOKEN, "");
	const output = await fail("echo 'token-1*' | new-token --keep 1");
	expect(output).toMatch(/: Word 1 is not a token .* Nothing is written\.$/);
	expect(ls()).not.toContain("secrets.json");
});

it("does not show the paste, and ignores Ctrl-Z", async () => {
	const { succeed } = newCheckout("scripts/wrangler", TERMINAL);
	const paste = `{ ${UNTIL_ECHO_IS_OFF}; echo ${TOKEN}; }`;
	expect(await succeed(`${paste} | new-token --keep 1`)).toMatch(
		/^Paste .*\nstty -echo\ntrap -- '' SIGTSTP\n.* Wrote .*\nstty echo\n.*$/,
	);
});
