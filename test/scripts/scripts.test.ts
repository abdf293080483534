import { exec } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";

// A copy of what the scripts use, so that no file of a developer changes.
const top = fs.mkdtempSync(join(tmpdir(), "plants-"));
for (const path of [
	"package.json",
	"public",
	"scripts",
	"src",
	"wrangler.toml",
])
	fs.cpSync(path, `${top}/${path}`, { recursive: true });
fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
fs.symlinkSync(process.execPath, `${top}/node_modules/.bin/node`);
for (const name of ["@hono", "hono", "swagger-ui-dist", "wrangler", "zod"])
	fs.symlinkSync(resolve("node_modules", name), `${top}/node_modules/${name}`);
const plants = Array.from({ length: 41 }, (_, id) => ({
	key: `${id}`,
	value: '{"name":"\\u0000\\ud800"}',
}));
fs.writeFileSync(`${top}/plants.json`, JSON.stringify(plants));
const curl = 'echo "$@" >> curl.log; exec $(which -a curl | tail -1) "$@"';
fs.writeFileSync(`${top}/scripts/curl`, curl, { mode: 0o755 });

const server = (ACCESS_TOKEN: string) =>
	createTestHarness({
		workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN } }],
	});
const [good, bad] = [server("token-1 token-2"), server("a,b")];
afterAll(() => Promise.all([good.close(), bad.close()]));
afterAll(() => fs.rmSync(top, { recursive: true }));

const env = {
	...process.env,
	PATH: `${top}/scripts:${process.env.PATH}`,
	GOOD: `${(await good.listen()).url}`,
	BAD: `${(await bad.listen()).url}`,
	LOCAL: "--local --persist-to",
};
const runInSrc = (command: string) =>
	promisify(exec)(command, { cwd: `${top}/src`, env }).catch((error) => error);

// The commands run one after the other in the folder src: a script works from any folder.
it.each([
	["deploy --dry-run", /with the tag no-git\.\n0$/],
	["deploy --dry-run src", /Unknown argument: src.*Wrangler failed\..*\n1$/s],
	["CLOUDFLARE_ENV=x deploy --dry-run", /No environment found.*\n1$/s],
	["git init -q ..; git config user.name x; git config user.email x", /^0$/],
	["git add . && git commit -qm x", /^0$/],
	["deploy --dry-run | grep tag.$(git rev-parse --short HEAD)", /\n0$/],
	["echo >> index.ts; deploy --dry-run", /the tag [0-9a-f]+-dirty\.\n0$/],
	["new-token --kept", /The only option is --keep.*\n1$/],
	["new-token --keep < /dev/null", /There is no token.*\n1$/],
	[`echo '{"A":"x y"}' | new-token --keep`, /Word 1 is not a token.*\n1$/],
	["echo one 'two*' | new-token --keep", /Word 2 is not a token.*\n1$/],
	["echo Bearer one | new-token --keep", /Word 1 is not a token.*\n1$/],
	["printf 'one\\r\\ntwo=' | new-token --keep", /2 tokens in use into.*\n0$/],
	["new-token", /secrets\.json exists.*\n1$/],
	["cat ../secrets.json", /^{"ACCESS_TOKEN":"[0-9a-f]{64} one two="}\n0$/],
	["rm ../secrets.json; new-token", /a new token and 0 tokens.*\n0$/],
	["echo token-1 | check-token http://plants.example.com", /Usage.*\n1$/],
	[
		"echo token-1 | check-token http://localhost:1",
		/The Worker is not there.*\n1$/,
	],
	["echo token-1 | check-token $BAD", /no usable secret.*\n1$/],
	["echo token-3 | check-token $GOOD", /The token is not valid\.\n1$/],
	["echo token-2 | check-token $GOOD", /is valid\. Nothing is stored\.\n0$/],
	["echo token-1 | check-token --store $GOOD", /the plant is stored\.\n0$/],
	["grep -c token- curl.log", /^0\n1$/],
	["wrangler kv bulk put plants.json --binding PLANTS $LOCAL a", /Success!/],
	["save.mjs $LOCAL ../a", /Saved 41 plants into .*\n0$/],
	["rm ../backup-*/saved.json ../backup-*/plants-40.json", /^0$/],
	["restore.mjs --local ../backup-*", /the folder of a complete save.*\n1$/s],
	["restore.mjs ../backup-local-*", /is not a save of production.*\n1$/s],
	["save.mjs $LOCAL ../a ../backup-*", /Saved 41 plants into .*\n0$/],
	["restore.mjs $LOCAL ../b ../backup-*", /Restored 41 plants from .*\n0$/],
	["echo CLOUDFLARE_ENV=x > ../.env; save.mjs $LOCAL ../b", /Saved 41 .*\n0$/],
	["diff -r ../backup-*", /^0$/],
	["save.mjs --removed", /Unknown option '--removed'.*\n1$/s],
	["CLOUDFLARE_ENV=x save.mjs", /No environment found.*To continue, .*\n1$/s],
	["find ../secrets.json ../backup-* -perm /077", /^0$/],
	["echo x > ../.dev.vars", /^0$/],
	["npm_config_user_agent='bun node/v24' node ../scripts/install.mjs", /0$/],
	["cat ../.dev.vars; ls ../node_modules/.bin", /^x\nnode\n0$/],
	["npm_config_user_agent='npm/9 node/v24' node ../scripts/install.mjs", /0$/],
	["ls ../node_modules/.bin", /^0$/],
	["cp /bin/echo ../scripts/wrangler; deploy -h", /--tag \S+ -h\n.*Nothing/],
])("%s prints %s", async (command, expected) => {
	const { stdout, stderr, code = 0 } = await runInSrc(command);
	// The output, and the status at its end.
	expect(`${stdout}${stderr}${code}`).toMatch(expected);
});
