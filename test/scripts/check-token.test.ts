import { execSync } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { newCheckout, TERMINAL, UNTIL_ECHO_IS_OFF } from "./checkout.ts";

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
	SILENT: () => {},
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

/** A checkout with the URLs as variables of its commands. */
const checkout = () => newCheckout("scripts/wrangler", urls);

it("says that a token is valid", async () => {
	const output = await checkout().succeed(
		"printf a._~+/-b== | check-token $GOOD/",
	);
	expect(output).toMatch(/The token is valid\. Nothing is stored\.$/);
});

it.each([
	["is not valid", "echo token-3 | check-token $GOOD", /is not valid\.$/],
	["is not one", "echo token-1 a | check-token $GOOD", /is not one token\.$/],
	[
		"has a letter outside of ASCII",
		"echo é | LC_ALL=C.UTF-8 check-token $GOOD",
		/is not one token\.$/,
	],
	["is missing", "true | check-token $GOOD", /There is no token\.$/],
])("says that a token %s", async (_, command, output) => {
	expect(await checkout().fail(command)).toMatch(output);
});

it.each([
	[
		"says that the secret is not usable",
		"$BAD",
		/The Worker has no usable secret, or a bug\. See its log\.$/,
	],
	[
		"does not send the token to a server with another 401",
		"$OTHER",
		/The Worker is not there\. The status is 401\.$/,
	],
	[
		"does not send the token to a server with a wrong certificate",
		"$TLS",
		/curl: \(60\)(.*\n)+.* is not there\. See the error of curl above\.$/,
	],
	[
		"asks a host with TLS, and shows the error of curl",
		"https://plants.my-name.localhost",
		/^curl: \(\d+\) .* port 443 .*\n.* is not there\. See the error of curl above\.$/,
	],
	["does not follow a redirect", "$REDIRECT", /unknown whether .* 307$/],
	[
		"prints no control character",
		"$ESCAPE",
		/^[ -~]*It is unknown whether [ -~]*$/,
	],
])("%s", async (_, url, output) => {
	const command = `echo token-1 | check-token ${url}`;
	expect(await checkout().fail(command)).toMatch(output);
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
	const output = await checkout().fail(command);
	expect(output).toMatch(/^scripts\/check-token: Usage: .*$/);
});

it("shows the token to no argument, no proxy, no trace and no log", async () => {
	const { succeed, program, read, write } = checkout();
	// With this file, curl would print its headers.
	write("../.curlrc", "verbose");
	// It stands before the installed curl in the path.
	program(
		"scripts/curl",
		'echo "$@" >> curl.log; exec "$(which -a curl | tail -1)" "$@"',
	);
	const output = await succeed(
		"echo token-1 | env http_proxy=localhost:1 SHELLOPTS=xtrace check-token $GOOD",
	);
	expect(output).toMatch(/The token is valid\..*$/);
	expect(output).not.toContain("token-1");
	expect(read("src/curl.log")).toContain(`${urls.GOOD}/plants`);
	expect(read("src/curl.log")).not.toContain("token-1");
});

it("does not show the paste, and ignores Ctrl-Z", async () => {
	const { succeed } = newCheckout("scripts/wrangler", { ...urls, ...TERMINAL });
	const paste = `{ ${UNTIL_ECHO_IS_OFF}; echo token-1; }`;
	expect(await succeed(`${paste} | check-token $GOOD`)).toMatch(
		/^stty -echo\ntrap -- '' SIGTSTP\n.*The token is valid\..*\nstty echo\n.*$/,
	);
});

it("stops reading a response without end", async () => {
	const output = await checkout().fail("echo token-1 | check-token $ENDLESS");
	expect(output).toMatch(/The Worker is not there\..*$/);
	expect(sent).toBeLessThan(1000);
});

it("does not wait for ever for a response", async () => {
	const { fail, program } = checkout();
	// A minute takes a second. This program stands before the installed curl in the path.
	program(
		"scripts/curl",
		`for word; do
			shift
			if [ "$word" = 60 ]; then word=1; fi
			set -- "$@" "$word"
		done
		exec "$(which -a curl | tail -1)" "$@"`,
	);
	const output = await fail("echo token-1 | check-token $SILENT");
	expect(output).toMatch(/^curl: \(28\) .*\n.* is not there\. .*$/);
});

it.each(["--store $GOOD", "$GOOD --store"])(
	"stores the plant under the smallest id with %s",
	async (options) => {
		const { succeed } = checkout();
		const output = await succeed(`echo token-1 | check-token ${options}`);
		expect(output).toMatch(/The token is valid, and the plant is stored\.$/);
		const { PLANTS } = await good.getWorker<{ PLANTS: KVNamespace }>().getEnv();
		const id = "-9223372036854775808";
		expect((await PLANTS.list()).keys).toEqual([{ name: id }]);
		await PLANTS.delete(id);
	},
);
