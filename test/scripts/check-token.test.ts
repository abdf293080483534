import { execSync } from "node:child_process";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { rows, run } from "./run.ts";

const worker = (ACCESS_TOKEN: string) =>
	createTestHarness({ workers: [{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN } }] });
const [good, bad] = [worker("token-1 a._~+/-b=="), worker("a,b")];
afterAll(() => Promise.all([good.close(), bad.close()]));

/** Returns our 401 to a request without a token. */
const withToken = (listener: RequestListener): RequestListener => (req, res) =>
	req.headers.authorization ? listener(req, res) : res.writeHead(401).end('{"error":401,');
const valid: RequestListener = (_, res) => res.writeHead(400).end('{"error":415,');
let sent = 0;
const servers: Record<string, RequestListener> = {
	OTHER: (req, res) => req.headers.authorization ? valid(req, res) : res.writeHead(401).end("Unauthorized"),
	REDIRECT: withToken((req, res) => req.url === "/" ? valid(req, res) : res.writeHead(307, { Location: "/" }).end()),
	ESCAPE: withToken((_, res) => res.writeHead(401).end("\x1b[2J\x9b2J valid.")),
	ENDLESS: (_, res) => {
		const send = () => sent++ < 1e5 && res.write('{"error":401,'.padEnd(65_536));
		res.writeHead(401).on("drain", send).write(" ".repeat(65_536));
	},
};
const urls: Record<string, string> = {};
const listen = (server: Server) => `localhost:${(server.listen(0).unref().address() as AddressInfo).port}`;
beforeAll(async () => {
	for (const [name, listener] of Object.entries(servers)) urls[name] = `http://${listen(createServer(listener))}`;
	const pem = execSync("openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout - 2>&-");
	urls.TLS = `https://${listen(createTlsServer({ key: pem, cert: pem }, withToken(valid)))}`;
	urls.GOOD = (await good.listen()).url.origin;
	urls.BAD = (await bad.listen()).url.origin;
});

rows([
	["says that a token is valid", "printf a._~+/-b== | check-token $GOOD/", /is valid\. Nothing is stored\.\n0$/],
	["says that a token is not valid", "echo token-3 | check-token $GOOD", /The token is not valid\.\n1$/],
	["refuses two tokens", "echo token-1 token-2 | check-token $GOOD", /This is not one token\.\n1$/],
	["says that the secret is not usable", "echo token-1 | check-token $BAD", /no usable secret.*\n1$/],
	["does not send the token to a server with another 401", "echo token-1 | check-token $OTHER", /not there\..* 401\.\n1$/],
	["does not send the token to a server with a wrong certificate",
		"echo token-1 | check-token $TLS", /curl: \(60\)(.*\n)+.*The Worker is not there\..*\n1$/],
	["does not follow a redirect", "echo token-1 | check-token $REDIRECT", /It is unknown whether.* 307 .*\n1$/],
	["asks a host with TLS, and shows the error of curl",
		"check-token https://plants.my-name.localhost", /^curl: \(\d+\) .*\n.*The Worker is not there.*\n1$/],
	["prints no control character", "echo token-1 | check-token $ESCAPE", /^[ -~\n]*It is unknown whether[ -~]*\n1$/],
	["shows the token to no argument, no proxy, no trace and no log",
		`program ../scripts/curl 'echo "$@" >> curl.log; exec $(which -a curl | tail -1) "$@"'
		echo verbose > ~/.curlrc; echo token-1 | env http_proxy=localhost:1 SHELLOPTS=xtrace check-token $GOOD &&
		grep -c token- curl.log`, /^(?!.*token-1).*is valid.*\n0\n1$/s],
	["does not show the paste, and ignores Ctrl-Z", "terminal; echo token-1 | check-token $GOOD",
		/^stty -echo\ntrap -- '' SIGTSTP\n.*is valid\..*\nstty echo\n.*\n0$/],
	["refuses what is not a scheme, a host and a port",
		`for url in http://x.com http://localhost:x@127.0.0.1:1 https://x? https://x# 'https://{x,y}' https://x/y "" \
		"$GOOD $GOOD"; do echo token-1 | check-token "$url"; done; check-token $GOOD $GOOD`, /^(.*Usage.*\n){9}1$/],
], undefined, urls);

it("reads only the first KB of a response without end", async () => {
	expect(await run("echo token-1 | check-token $ENDLESS", undefined, urls)).toMatch(/The Worker is not there.*\n1$/);
	expect(sent).toBeLessThan(1000);
});

it("stores the plant under the smallest id, with --store before or after the URL", async () => {
	const command = "echo token-1 | check-token --store $GOOD && echo token-1 | check-token $GOOD --store";
	expect(await run(command, undefined, urls)).toMatch(/^(.*the plant is stored\.\n){2}0$/);
	const { PLANTS } = await good.getWorker<{ PLANTS: KVNamespace }>().getEnv();
	expect((await PLANTS.list()).keys).toEqual([{ name: "-9223372036854775808" }]);
});
