import { execFileSync } from "node:child_process";
import {
	existsSync,
	mkdtempSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import openapi from "../../src/docs/openapi.json" with { type: "json" };

const directory = mkdtempSync(join(tmpdir(), "plants-"));
// Names that git ignores: a killed run leaves these files.
const strayFiles = ["swagger-ui.html", ".env.stray"];

const server = createTestHarness({
	workers: [
		{
			configPath: "wrangler.toml",
			prebuiltWorkerDir: directory,
			secrets: { ACCESS_TOKEN: "test-token" },
		},
	],
});
let origin: string;

beforeAll(async () => {
	for (const file of strayFiles) writeFileSync(`src/docs/${file}`, "stray");
	const wrangler = "node_modules/wrangler/bin/wrangler.js";
	const args = [wrangler, "deploy", "--dry-run", "--outdir", directory];
	execFileSync(process.execPath, args, {
		env: { ...process.env, WRANGLER_LOG_PATH: directory },
	});
	const { url } = await server.listen();
	origin = url.origin;
});

afterAll(async () => {
	await server.close();
	rmSync(directory, { recursive: true });
	for (const file of strayFiles) rmSync(`src/docs/${file}`);
});

it("has a bundle of at most 20 KB gzip", () => {
	const bundle = readFileSync(join(directory, "index.js"));
	expect(gzipSync(bundle).byteLength).toBeLessThanOrEqual(20_000);
});

const MIB = 1_048_576;

const post = (body: string | ReadableStream) =>
	fetch(`${origin}/plants`, {
		method: "POST",
		headers: {
			Authorization: "Bearer test-token",
			"Content-Type": "application/json",
		},
		body,
		duplex: "half",
	});

it("stores a plant", async () => {
	const res = await post('{"id":9223372036854775807,"name":"Ficus"}');
	expect(res.status).toBe(200);
	const { PLANTS } = await server.getWorker<{ PLANTS: KVNamespace }>().getEnv();
	expect(await PLANTS.get("9223372036854775807")).toBe('{"name":"Ficus"}');
});

it.each([
	["with Content-Length", " ".repeat(32 * MIB)],
	["chunked", new Blob([" ".repeat(32 * MIB)]).stream()],
])("returns error 413 to a client that sends 32 MiB, %s", async (_, body) => {
	const res = await post(body);
	expect(res.status).toBe(400);
	expect(await res.json()).toMatchObject({ error: 413 });
});

it.each(["/", "/swagger-ui-bundle.js.LICENSE.txt"])(
	"serves %s without a token",
	async (path) => {
		expect((await fetch(origin + path)).status).toBe(200);
	},
);

it.each(strayFiles)(
	"does not serve %s, which .assetsignore does not list",
	async (file) => {
		expect(existsSync(`src/docs/${file}`)).toBe(true);
		expect((await fetch(`${origin}/${file}`)).status).toBe(401);
	},
);

it("serves the OpenAPI document to pages of any origin", async () => {
	const res = await fetch(`${origin}/openapi.json`);
	expect(res.status).toBe(200);
	expect(res.headers.get("Access-Control-Allow-Origin")).toBe("*");
	expect(res.headers.get("Content-Type")).toBe("application/json");
	expect(await res.json()).toEqual(openapi);
});

it("returns no body for HEAD /openapi.json", async () => {
	const res = await fetch(`${origin}/openapi.json`, { method: "HEAD" });
	expect(res.status).toBe(200);
	expect(await res.text()).toBe("");
});
