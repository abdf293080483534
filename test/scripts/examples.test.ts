// The clients in docs/api.md run as they stand, apart from the URL.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import type { KVNamespace } from "@cloudflare/workers-types";
import { afterAll, expect, it } from "vitest";
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

/** Returns these statuses, one for each request. */
function serveStatuses(statuses: number[]) {
	const requests: string[] = [];
	const origin = serve((req, res) => {
		requests.push(`${req.method} ${req.url}`);
		res.writeHead(statuses[requests.length - 1] ?? 500, { "Retry-After": "1" });
		res.end("{}");
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

it.each(clients)("%s sends the request again after 503", async (_, client) => {
	const { requests, origin } = serveStatuses([503, 200]);
	await client(origin);
	expect(requests).toEqual(["POST /plants", "POST /plants"]);
});

it.each(clients)(
	"%s does not send the request again after 401",
	async (_, client) => {
		const { requests, origin } = serveStatuses([401, 200]);
		await expect(client(origin)).rejects.toThrow("401, CF-Ray ");
		expect(requests).toEqual(["POST /plants"]);
	},
);
