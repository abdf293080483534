// The clients in docs/api.md run as they stand, apart from the URL.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, describe, expect, it } from "vitest";
import { createTestHarness } from "wrangler";
import { serve } from "./server.ts";

const run = promisify(execFile);
const server = createTestHarness({
	workers: [
		{ configPath: "wrangler.toml", secrets: { ACCESS_TOKEN: "dev-token" } },
	],
});
afterAll(() => server.close());

const page = fs.readFileSync("docs/api.md", "utf8");

/** The last program of the page in a language, with its interpreter. */
function client(language: string, interpreter: string, ...options: string[]) {
	const blocks = [...page.matchAll(/```(\w+)\n(.*?)```/gs)];
	const text = blocks.findLast(([, name]) => name === language)?.[2] ?? "";
	return (origin: string) => {
		const program = text.replace("http://localhost:8787", origin);
		expect(program).toContain(origin);
		// Without the proxy of the developer.
		const env = { PATH: process.env.PATH };
		return run(interpreter, [...options, program], { env });
	};
}

const clients = [
	[
		"TypeScript",
		client("ts", process.execPath, "--input-type=module-typescript", "-e"),
	],
	["Python", client("python", "python3", "-c")],
] as const;

/** Returns this response to the first request, and creates a plant with the second. */
function serveOnce({ status = 0, retryAfter = "1", body = "{}" }) {
	const requests: string[] = [];
	const origin = serve((req, res) => {
		requests.push(`${req.method} ${req.url}`);
		const isFirst = requests.length === 1;
		res.writeHead(isFirst ? status : 200, { "Retry-After": retryAfter });
		res.end(isFirst ? Buffer.from(body, "latin1") : "{}");
	});
	return { requests, origin };
}

it.each(clients)(
	"%s creates the plant with the largest id",
	async (_, client) => {
		const { url } = await server.listen();
		const { PLANTS } = await server
			.getWorker<{ PLANTS: KVNamespace }>()
			.getEnv();
		await PLANTS.delete("9223372036854775807");
		const { stdout } = await client(url.origin);
		expect(stdout).toContain("Monstera");
		expect(await PLANTS.get("9223372036854775807")).toBe(
			'{"name":"Monstera","tag":"indoor"}',
		);
	},
);

describe.each(clients)("%s", (_, client) => {
	it.each([
		["503", { status: 503 }],
		[
			"503 with a date in Retry-After",
			{ status: 503, retryAfter: "Wed, 21 Oct 2026 07:28:00 GMT" },
		],
		["502 with a body that is not UTF-8", { status: 502, body: "caf\xe9" }],
	])("sends the request again after %s", async (_, response) => {
		const { requests, origin } = serveOnce(response);
		await client(origin);
		expect(requests).toEqual(["POST /plants", "POST /plants"]);
	});

	it.each([
		["401", { status: 401 }, "401, CF-Ray "],
		[
			"200 with a body that is not JSON",
			{ status: 200, body: "<html>" },
			"JSON",
		],
	])("does not send the request again after %s", async (_, response, error) => {
		const { requests, origin } = serveOnce(response);
		await expect(client(origin)).rejects.toThrow(error);
		expect(requests).toEqual(["POST /plants"]);
	});
});
