// What README.md and docs/api.md show. Their requests and the client run as they stand, apart from the URL.
import { execFile } from "node:child_process";
import fs from "node:fs";
import type { ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import * as worker from "../node/worker.ts";
import { newCheckout } from "./checkout.ts";
import { serve } from "./server.ts";
import { NODE } from "./store.ts";

const readme = fs.readFileSync("README.md", "utf8");
const page = fs.readFileSync("docs/api.md", "utf8");

/** The code blocks in a language. */
const blocks = (language: string, text = page) =>
	[...text.matchAll(/```(.+?)\n(.*?)```/gs)]
		.filter(([, name]) => name === language)
		.map(([, , text = ""]) => text);

const directory = fs.mkdtempSync(join(tmpdir(), "plants-"));
beforeAll(() => worker.build(directory));
afterAll(() => fs.rmSync(directory, { recursive: true }));

/** Starts the built Worker with the token of `npm run dev`, and an empty KV namespace. */
async function startWorker() {
	const server = await worker.start(directory, { ACCESS_TOKEN: "dev-token" });
	onTestFinished(() => server.stop());
	return server;
}

/** Starts a program of a page against this origin, in a folder of its own. */
function start(program: string, origin: string, ...command: string[]) {
	const text = program.replace("http://localhost:8787", origin);
	expect(text).toContain(origin);
	const { top, read, write } = newCheckout();
	write("program.mjs", text);
	const [file = "", ...args] = [...command, "program.mjs"];
	return { read, running: promisify(execFile)(file, args, { cwd: top }) };
}

/** Starts the client, whose pauses take no time. Its time limit ends with SIGUSR2. */
const startClient = (origin: string) =>
	start(blocks("js").join(), origin, ...NODE);

it("returns the responses that open the page", async () => {
	const server = await startWorker();
	const [request = ""] = blocks("sh");
	const [, body = ""] = /`(-d '[^`]+')`/.exec(page) ?? [];
	const requests = [request, request.replace(/-d '.+'/, body)];
	const responses = blocks("http").filter((text) => /^HTTP/.test(text));
	expect(responses.length).toBe(2);
	for (const [i, response] of responses.entries()) {
		const { running } = start(requests[i] ?? "", server.origin, "sh");
		const lines = expect.arrayContaining(response.trim().split("\n"));
		expect((await running).stdout.split(/\r?\n/)).toEqual(lines);
	}
	expect(await server.stored("42")).toContain('"name":"Monstera"');
});

it("returns the response in README.md", async () => {
	const server = await startWorker();
	const request = blocks("sh", readme).filter((text) => /^curl/.test(text));
	const { running } = start(request.join(), server.origin, "sh");
	expect([(await running).stdout]).toEqual(blocks("json", readme));
});

it("creates the plant with the largest id", async () => {
	const server = await startWorker();
	const { stdout } = await startClient(server.origin).running;
	expect(stdout).toContain("Monstera");
	const value = await server.stored("9223372036854775807");
	expect(JSON.parse(`${value}`)).toMatchObject({
		name: "Monstera",
		tag: "indoor",
	});
});

it("has each member of NewPlant in the table of docs/api.md", () => {
	const text = fs.readFileSync("public/openapi.json", "utf8");
	const { properties } = JSON.parse(text).components.schemas.NewPlant;
	for (const name in properties) expect(page).toContain(`| \`${name}\` |`);
});

type Respond = (res: ServerResponse) => void;

const respond =
	(status: number, body = "", headers = {}): Respond =>
	(res) =>
		void res.writeHead(status, { "CF-Ray": "8f2a-PRG", ...headers }).end(body);

/** Loses the connection before the whole body is sent. */
const cut =
	(status: number, headers = {}): Respond =>
	(res) => {
		const all = { "CF-Ray": "8f2a-PRG", "Content-Length": 100, ...headers };
		res.writeHead(status, all).write("{", () => res.destroy());
	};

const created = respond(200, '{"name":"Monstera"}\r\n');

/** Runs the client. Its n-th request gets the n-th of these responses, or, without one, the time limit ends. */
async function run(...responses: (Respond | undefined)[]) {
	const requests: string[] = [];
	const origin = serve(async (req, res) => {
		requests.push(`${req.method} ${req.url} ${await text(req)}`);
		const respond = responses[requests.length - 1];
		if (respond) respond(res);
		else running.child.kill("SIGUSR2");
	});
	const { running, read } = startClient(origin);
	const result = await running.catch((error: Error) => error);
	const pauses = () => read("waits.txt").trim().split("\n").map(Number);
	return { result, requests, pauses };
}

it.each<[string, Respond | undefined, number]>([
	["a 503", respond(503, "", { "Retry-After": "1" }), 1],
	["a 503 with Retry-After: 60", respond(503, "", { "Retry-After": "60" }), 60],
	["a 429 without Retry-After", respond(429), 1],
	["a 500", respond(500), 1],
	["a 200 without a body", respond(200), 1],
	["a 200 with HTML", respond(200, "<html>"), 1],
	["a 200 that is cut", respond(200, '{"name":"M'), 1],
	["a 200 that is not JSON", respond(200, '{"name":}'), 1],
	["a 200 that is not an object", respond(200, "[]"), 1],
	["a 200 whose connection is lost", cut(200), 1],
	["a 503 whose connection is lost", cut(503, { "Retry-After": "30" }), 30],
	["a lost connection", (res) => res.destroy(), 1],
	["a timeout", undefined, 1],
])("sends the same request again after %s", async (_, first, seconds) => {
	const { result, requests, pauses } = await run(first, created);
	expect(result).toMatchObject({ stdout: expect.stringContaining("Monstera") });
	const [request = ""] = requests;
	expect(request).toMatch(/^POST \/plants {"id":9223372036854775807,/);
	expect(requests).toEqual([request, request]);
	expect(pauses()).toEqual([seconds * 1000]);
});

it.each([
	[500, '{"error":500,"message":""}'],
	[200, "<html>"],
])("stops after four requests that return %d %s", async (status, body) => {
	const failed = respond(status, body);
	const { result, requests, pauses } = await run(...Array(5).fill(failed));
	const error = `${status}, CF-Ray 8f2a-PRG: ${body}`;
	expect(result).toMatchObject({ message: expect.stringContaining(error) });
	expect(requests.length).toBe(4);
	expect(pauses()).toEqual([1000, 2000, 4000]);
});

it.each<[string, Respond, string]>([
	["a 401", respond(401, "{}"), "401, CF-Ray 8f2a-PRG: {}"],
	[
		"a 301 whose connection is lost",
		cut(301, { Location: "/x" }),
		"301, CF-Ray 8f2a-PRG: ",
	],
	["a 401 whose connection is lost", cut(401), "401, CF-Ray 8f2a-PRG: "],
	[
		"a 429 with Retry-After: 80000 whose connection is lost",
		cut(429, { "Retry-After": "80000" }),
		"429, CF-Ray 8f2a-PRG: ",
	],
	["a 501", respond(501), "501, CF-Ray 8f2a-PRG: "],
	[
		"a 429 with Retry-After: 61",
		respond(429, "", { "Retry-After": "61" }),
		"429",
	],
	[
		"a 503 whose Retry-After is a date",
		respond(503, "", { "Retry-After": "Sat, 28 Nov 2026 00:00:00 GMT" }),
		"503",
	],
	[
		"a 301 to a URL that returns 200",
		respond(301, "", { Location: "/x" }),
		"301",
	],
])("sends no request again after %s", async (_, first, error) => {
	const { result, requests } = await run(first, created);
	expect(result).toMatchObject({ message: expect.stringContaining(error) });
	expect(requests.length).toBe(1);
});
