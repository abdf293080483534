import { once } from "node:events";
import fs from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { parseEnv } from "node:util";
import { gzipSync } from "node:zlib";
import {
	afterAll,
	assert,
	beforeAll,
	describe,
	expect,
	it,
	onTestFinished,
	vi,
} from "vitest";
import { build, start } from "./worker.ts";

const directory = fs.mkdtempSync(join(tmpdir(), "plants-"));

let server: Awaited<ReturnType<typeof start>>;

beforeAll(async () => {
	build(directory);
	for (const file of ["public/swagger-ui.stray", "public/.env"]) {
		fs.writeFileSync(join(directory, file), "stray");
	}
	server = await start(directory, {
		ACCESS_TOKEN: "test-token",
		ACCESS_TOKEN_FOR_SHOP: "shop-token",
	});
});

afterAll(async () => {
	await server?.stop();
	fs.rmSync(directory, { recursive: true });
});

it("has a bundle of at most 18 KB gzip, with a source map", () => {
	const bundle = fs.readFileSync(join(directory, "index.js"), "utf8");
	expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(18_000);
	const mapFile = join(directory, "index.js.map");
	const map = fs.readFileSync(mapFile, "utf8");
	const before = bundle.split("access_token_unusable", 1).join().split("\n");
	// As CONTRIBUTING.md reads a stack.
	const origin = new SourceMap(JSON.parse(map)).findOrigin(
		before.length,
		before.at(-1)?.length ?? 0,
	);
	assert("fileName" in origin);
	const url = new URL(origin.fileName, pathToFileURL(mapFile));
	const source = fs.readFileSync(url, "utf8");
	const line = source.split("\n")[origin.lineNumber - 1];
	expect(line).toContain("access_token_unusable");
});

it("returns 500 with the token of .dev.vars.example behind Cloudflare, and logs why", async () => {
	const variables = parseEnv(fs.readFileSync(".dev.vars.example", "utf8"));
	const { ACCESS_TOKEN = "" } = variables;
	const server = await start(directory, { ACCESS_TOKEN });
	onTestFinished(() => server.stop());
	const headers = {
		Authorization: `Bearer ${ACCESS_TOKEN}`,
		"CF-Ray": "8f2a-PRG",
	};
	// Miniflare prints the Worker's log with it.
	const log = vi.spyOn(console, "error").mockReturnValue();
	const lines = () => log.mock.calls.join("\n");
	const res = await send(`${server.origin}/plants`, headers);
	expect(res.status, res.text + lines()).toBe(500);
	await expect.poll(lines).toMatch(/access_token_unusable.+dev-token/s);
});

/** Sends a GET or, with a body, a POST. Unlike in fetch(), a stream may have Content-Length. */
async function send(
	url: string,
	headers: Record<string, string>,
	body?: Uint8Array[],
) {
	const method = body ? "POST" : "GET";
	// Not an idle connection of an earlier request: workerd closes it after five seconds, and Node does
	// not see this while its event loop is blocked, as on a busy machine.
	const options = { method, headers, agent: false };
	const req = request(new URL(url, server.origin), options);
	Readable.from(body ?? []).pipe(req);
	const [res] = (await once(req, "response")) as [IncomingMessage];
	const { statusCode: status, headers: received } = res;
	return { status, headers: received, text: await text(res) };
}

describe.each(["with Content-Length", "chunked"])("%s", (framing) => {
	const post = (body: Uint8Array[]) =>
		send(
			"/plants",
			{
				Authorization: "Bearer shop-token",
				"Content-Type": "application/json",
				...(framing === "chunked"
					? { "Transfer-Encoding": "chunked" }
					: { "Content-Length": `${body.reduce((n, x) => n + x.length, 0)}` }),
			},
			body,
		);

	it("stores a plant", async () => {
		const value = `{"name":"${framing}"}`;
		const plant = value.replace("{", '{"id":9223372036854775807,');
		const res = await post([...plant].map((part) => Buffer.from(part)));
		expect(res.status, res.text).toBe(200);
		expect(await server.stored("9223372036854775807")).toBe(value);
	});

	it("returns error 413 to 64 clients that send 3.9 MB each, without keeping it in memory", async ({
		skip,
	}) => {
		if (!fs.existsSync(CHILDREN)) skip("Only Linux has these figures.");
		const workerd = fs.readFileSync(CHILDREN, "utf8").trim();
		// Resets the peak.
		fs.writeFileSync(`/proc/${workerd}/clear_refs`, "5");
		const before = peakMemory(workerd);
		const body = [new Uint8Array(2_000_000), new Uint8Array(1_900_000)];
		const responses = await Promise.all(
			Array.from({ length: 64 }, () => post(body)),
		);
		for (const { status, text } of responses) {
			expect(status, text).toBe(400);
			expect(JSON.parse(text)).toMatchObject({ error: 413 });
		}
		// What is read and discarded takes some 25 MB, whole bodies 190 MB.
		expect(peakMemory(workerd) - before).toBeLessThan(110_000_000);
	});
});

/** The id of each child process. Only workerd is one. */
const CHILDREN = `/proc/self/task/${process.pid}/children`;

/** The most memory that this process has had since the last reset, in bytes. */
function peakMemory(pid: string): number {
	const status = fs.readFileSync(`/proc/${pid}/status`, "utf8");
	return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024;
}

it.each([
	["/", 200],
	["/swagger-ui-bundle.js.LICENSE.txt", 200],
	["/swagger-ui.stray", 401],
	["/.env", 401],
])("serves only the files of the page: %s returns %d", async (path, status) => {
	const file = join(directory, "public", path);
	expect(fs.existsSync(file), "run npm run prepare").toBe(true);
	// With not_found_handling, a browser gets a page for each other path.
	const res = await send(path, { "Sec-Fetch-Mode": "navigate" });
	expect(res.status, res.text).toBe(status);
	// After a deploy, a browser gets the new files.
	if (status === 200)
		expect(res.headers["cache-control"]).toMatch(/max-age=0\b|no-cache/);
});

it("serves the OpenAPI document to pages of any origin", async () => {
	const res = await send("/openapi.json", {});
	expect(res.status, res.text).toBe(200);
	expect(res.headers["access-control-allow-origin"]).toBe("*");
	expect(res.headers["cache-control"]).toMatch(/max-age=0\b|no-cache/);
	expect(res.headers["content-type"]).toBe("application/json");
	expect(JSON.parse(res.text)).toHaveProperty("openapi");
});

it.each(["get", "onError", "routes"])(
	"does not implement %s for a Worker with a service binding",
	async (name) => {
		expect(await server.callMethod(name)).toContain("does not implement");
	},
);

// Headers of fetch() would not have the white space.
it.each([" ", "   ", "\t", " \t", "\t ", " \u2028"])(
	"takes Bearer with %j after it for a header without a token",
	async (space) => {
		// Clients send its bytes in UTF-8.
		const header = Buffer.from(`Bearer${space}`).toString("latin1");
		const res = await send("/plants", { Authorization: header });
		expect(res.status, res.text).toBe(401);
		expect(res.headers["www-authenticate"]).toBe('Bearer realm="plants"');
		const same = await send("/plants", { Authorization: "Bearer" });
		expect(res.text).toBe(same.text);
	},
);

it.each([" ", "\t", " \t "])(
	"authenticates a client whose header has %j after the token",
	async (space) => {
		const headers = { Authorization: `Bearer shop-token${space}` };
		const res = await send("/plants", headers);
		expect(res.status, res.text).toBe(405);
	},
);

// The last test: if matching the token takes exponential time, the Worker never responds again.
it("returns 401 for a long malformed token", async () => {
	const token = `${"a".repeat(60_000)}${"=".repeat(60_000)}!`;
	const res = await send("/plants", { Authorization: `Bearer ${token}` });
	expect(res.status, res.text).toBe(401);
});
