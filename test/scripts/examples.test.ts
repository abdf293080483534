// What README.md and docs/api.md show. Their requests and the client run as they stand, apart from the URL.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { build, start } from "../node/worker.ts";
import { newCheckout } from "./checkout.ts";
import { serve } from "./server.ts";

const readme = fs.readFileSync("README.md", "utf8");
const page = fs.readFileSync("docs/api.md", "utf8");

/** The code blocks in a language. */
const blocks = (language: string, text = page) =>
	[...text.matchAll(/```(.+?)\n(.*?)```/gs)]
		.filter(([, name]) => name === language)
		.map(([, , text = ""]) => text);

const directory = fs.mkdtempSync(join(tmpdir(), "plants-"));
beforeAll(() => build(directory));
afterAll(() => fs.rmSync(directory, { recursive: true }));

/** Starts the built Worker with the token of `npm run dev`, and an empty KV namespace. */
async function startWorker() {
	const server = await start(directory, { ACCESS_TOKEN: "dev-token" });
	onTestFinished(() => server.stop());
	return server;
}

/** Runs a program against this origin. Returns what it prints. */
async function run(program: string, origin: string, ...command: string[]) {
	const text = program.replace("http://localhost:8787", origin);
	expect(text).toContain(origin);
	const { top, write } = newCheckout();
	write("program.mjs", text);
	const [file = "", ...args] = [...command, `${top}/program.mjs`];
	const { stdout } = await promisify(execFile)(file, args);
	return stdout;
}

/** Runs the client. Returns what it prints. */
const createPlant = (origin: string) =>
	run(blocks("js").join(), origin, process.execPath);

it("returns the responses that open the page", async () => {
	const server = await startWorker();
	const [request = ""] = blocks("sh");
	const [, body = ""] = /`(-d '[^`]+')`/.exec(page) ?? [];
	const requests = [request, request.replace(/-d '.+'/, body)];
	const responses = blocks("http");
	expect(responses.length).toBe(2);
	for (const [i, response] of responses.entries()) {
		const output = await run(requests[i] ?? "", server.origin, "sh");
		const lines = expect.arrayContaining(response.trim().split("\n"));
		expect(output.split(/\r?\n/)).toEqual(lines);
	}
	expect(await server.plants.get("42", "json")).toMatchObject({
		name: "Monstera",
	});
});

it("returns the response in README.md", async () => {
	const server = await startWorker();
	const request = blocks("sh", readme).filter((text) => /^curl/.test(text));
	const output = await run(request.join(), server.origin, "sh");
	expect([output]).toEqual(blocks("json", readme));
});

it("creates the plant with the largest id", async () => {
	const server = await startWorker();
	expect(await createPlant(server.origin)).toContain("Monstera");
	const value = await server.plants.get("9223372036854775807", "json");
	expect(value).toMatchObject({ name: "Monstera", tag: "indoor" });
});

it("has each member of NewPlant in the table of docs/api.md", () => {
	const text = fs.readFileSync("public/openapi.json", "utf8");
	const { properties } = JSON.parse(text).components.schemas.NewPlant;
	for (const name in properties) expect(page).toContain(`| \`${name}\` |`);
});

it("accepts a response that ends with a line feed", async () => {
	const origin = serve((_, res) => res.end('{"name":"Monstera"}\r\n'));
	expect(await createPlant(origin)).toContain("Monstera");
});

it.each([
	["503", 503, '{"error":503,"message":""}', "503, CF-Ray 8f2a-PRG: {"],
	["200 without a body", 200, "", "200, CF-Ray 8f2a-PRG: "],
	["200 with HTML", 200, "<html>", "200, CF-Ray 8f2a-PRG: <html>"],
	["200 that is cut", 200, '{"name":"M', '200, CF-Ray 8f2a-PRG: {"name":"M'],
	// Unlike a lost connection, this must not be sent again.
	["301 to a URL that returns 200", 301, "", "301, CF-Ray 8f2a-PRG: "],
])(
	"fails after one request that returns %s",
	async (_, status, body, error) => {
		const requests: string[] = [];
		const origin = serve((req, res) => {
			requests.push(`${req.method} ${req.url}`);
			const isFirst = requests.length === 1;
			const headers = { "CF-Ray": "8f2a-PRG", Location: "/other" };
			res.writeHead(isFirst ? status : 200, headers).end(isFirst ? body : "{}");
		});
		await expect(createPlant(origin)).rejects.toThrow(error);
		expect(requests).toEqual(["POST /plants"]);
	},
);
