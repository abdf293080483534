import { execSync } from "node:child_process";
import fs from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { newCheckout, TERMINAL, writeProgram } from "./checkout.ts";

const worker = (ACCESS_TOKEN: string) =>
	createTestHarness({
		workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN } }],
	});
const good = worker("token-1 a._~+/-b==");
const bad = worker("a,b");
afterAll(() => Promise.all([good.close(), bad.close()]));

/** Returns our 401 to a request without a token. */
const withToken =
	(listener: RequestListener): RequestListener =>
	(req, res) =>
		req.headers.authorization
			? listener(req, res)
			: res.writeHead(401).end('{"error":401,');
const valid: RequestListener = (_, res) =>
	res.writeHead(400).end('{"error":415,');
let sent = 0;
const servers: Record<string, RequestListener> = {
	OTHER: (req, res) =>
		req.headers.authorization
			? valid(req, res)
			: res.writeHead(401).end("Unauthorized"),
	REDIRECT: withToken((req, res) =>
		req.url === "/"
			? valid(req, res)
			: res.writeHead(307, { Location: "/" }).end(),
	),
	ESCAPE: withToken((_, res) => res.writeHead(401).end("\x1b[2J\x9b2J valid.")),
	ENDLESS: (_, res) => {
		const send = () =>
			sent++ < 1e5 && res.write('{"error":401,'.padEnd(65_536));
		res.writeHead(401).on("drain", send).write(" ".repeat(65_536));
	},
};

/** The URLs of the servers, as variables of the commands. */
const urls: Record<string, string> = {};
const listen = (server: Server) => {
	const { port } = server.listen(0).unref().address() as AddressInfo;
	return `localhost:${port}`;
};
beforeAll(async () => {
	for (const [name, listener] of Object.entries(servers)) {
		urls[name] = `http://${listen(createServer(listener))}`;
	}
	const pem = execSync(
		"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout - 2>&-",
	);
	const tls = createTlsServer({ key: pem, cert: pem }, withToken(valid));
	urls.TLS = `https://${listen(tls)}`;
	urls.GOOD = (await good.listen()).url.origin;
	urls.BAD = (await bad.listen()).url.origin;
});

const run = (command: string) =>
	newCheckout("scripts/wrangler", urls).run(command);

it.each([
	[
		"says that a token is valid",
		"printf a._~+/-b== | check-token $GOOD/",
		0,
		/The token is valid\. Nothing is stored\.$/,
	],
	[
		"says that a token is not valid",
		"echo token-3 | check-token $GOOD",
		1,
		/The token is not valid\.$/,
	],
	[
		"refuses two tokens",
		"echo token-1 token-2 | check-token $GOOD",
		1,
		/This is not one token\.$/,
	],
	[
		"refuses a letter outside of ASCII",
		"echo é | LC_ALL=C.UTF-8 check-token $GOOD",
		1,
		/This is not one token\.$/,
	],
	[
		"says that the secret is not usable",
		"echo token-1 | check-token $BAD",
		1,
		/The Worker has no usable secret, or a bug\. See its log\.$/,
	],
	[
		"does not send the token to a server with another 401",
		"echo token-1 | check-token $OTHER",
		1,
		/The Worker is not there\. The status is 401\.$/,
	],
	[
		"does not send the token to a server with a wrong certificate",
		"echo token-1 | check-token $TLS",
		1,
		/curl: \(60\)(.*\n)+.*The Worker is not there\..*$/,
	],
	[
		"does not follow a redirect",
		"echo token-1 | check-token $REDIRECT",
		1,
		/It is unknown whether the token is valid\. The response is 307$/,
	],
	[
		"asks a host with TLS, and shows the error of curl",
		"check-token https://plants.my-name.localhost",
		1,
		/^curl: \(\d+\) .*\n.*The Worker is not there\..*$/,
	],
	[
		"prints no control character",
		"echo token-1 | check-token $ESCAPE",
		1,
		/^[ -~]*It is unknown whether [ -~]*$/,
	],
])("%s", async (_, command, status, output) => {
	const result = await run(command);
	const expected = { status, output: expect.stringMatching(output) };
	expect(result, command).toEqual(expected);
});

it.each([
	"http://x.com",
	"http://localhost:x@127.0.0.1:1",
	"https://x?",
	"https://x#",
	"https://{x,y}",
	"https://x/y",
	"",
	"$GOOD $GOOD",
	'$GOOD" "$GOOD',
])('refuses what is not one scheme, host and port: "%s"', async (url) => {
	const command = `echo token-1 | check-token "${url}"`;
	const { output, status } = await run(command);
	expect(output, command).toMatch(/^scripts\/check-token: Usage: .*$/);
	expect(status, command).toBe(1);
});

it("shows the token to no argument, no proxy, no trace and no log", async () => {
	const { top, succeed } = newCheckout("scripts/wrangler", urls);
	// With this file, curl would print its headers.
	fs.writeFileSync(`${top}/../.curlrc`, "verbose");
	// It stands before the installed curl in the path.
	writeProgram(
		`${top}/scripts/curl`,
		'echo "$@" >> curl.log',
		'exec "$(which -a curl | tail -1)" "$@"',
	);
	const output = await succeed(
		"echo token-1 | env http_proxy=localhost:1 SHELLOPTS=xtrace check-token $GOOD",
	);
	expect(output).toMatch(/The token is valid\..*$/);
	expect(output).not.toContain("token-1");
	const log = fs.readFileSync(`${top}/src/curl.log`, "utf8");
	expect(log).toContain(`${urls.GOOD}/plants`);
	expect(log).not.toContain("token-1");
});

it("does not show the paste, and ignores Ctrl-Z", async () => {
	const { succeed } = newCheckout("scripts/wrangler", { ...urls, ...TERMINAL });
	const output = await succeed("echo token-1 | check-token $GOOD");
	expect(output).toMatch(
		/^stty -echo\ntrap -- '' SIGTSTP\n.*The token is valid\..*\nstty echo\n.*$/,
	);
});

it("reads only the first KB of a response without end", async () => {
	const { output, status } = await run("echo token-1 | check-token $ENDLESS");
	expect(output).toMatch(/The Worker is not there\..*$/);
	expect(status).toBe(1);
	expect(sent).toBeLessThan(1000);
});

it("stores the plant under the smallest id, with --store before or after the URL", async () => {
	for (const options of ["--store $GOOD", "$GOOD --store"]) {
		const { output } = await run(`echo token-1 | check-token ${options}`);
		expect(output).toMatch(/The token is valid, and the plant is stored\.$/);
		const { PLANTS } = await good.getWorker<{ PLANTS: KVNamespace }>().getEnv();
		const id = "-9223372036854775808";
		expect((await PLANTS.list()).keys).toEqual([{ name: id }]);
		await PLANTS.delete(id);
	}
});
