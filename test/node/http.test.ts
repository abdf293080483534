import { rmSync } from "node:fs";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { build, serve } from "./server.ts";

const MIB = 1_048_576;
const plant = '{"id":1,"name":"Ficus"}';

let directory: string;
let server: Awaited<ReturnType<typeof serve>>;

beforeAll(async () => {
	directory = build();
	server = await serve(directory);
});

afterAll(async () => {
	await server.stop();
	rmSync(directory, { recursive: true });
});

const head = (framing: string) =>
	[
		"POST /plants HTTP/1.1",
		"Host: localhost",
		"Authorization: Bearer test-token",
		"Content-Type: application/json",
		"Connection: close",
		framing,
		"\r\n",
	].join("\r\n");
const withLength = (length: number) => head(`Content-Length: ${length}`);
const chunked = head("Transfer-Encoding: chunked");
const chunk = (data: string) => `${data.length.toString(16)}\r\n${data}\r\n`;

/** Sends bytes as they are, closes the sending side, and returns the response as text. */
function send(bytes: string): Promise<string> {
	const socket = connect(server.port, "127.0.0.1");
	socket.end(bytes);
	return text(socket);
}

it.each([
	["in one chunk", chunk(plant)],
	["in chunks of one byte", [...plant].map(chunk).join("")],
	[
		"in 1 MiB",
		(plant + " ".repeat(MIB - plant.length)).replace(/.{65536}/g, chunk),
	],
])("stores a plant that is sent chunked: %s", async (_, chunks) => {
	await server.plants.delete("1");
	expect(await send(chunked + chunks + chunk(""))).toMatch(/^HTTP\/1.1 200 OK/);
	expect(await server.plants.get("1", "text")).toBe('{"name":"Ficus"}');
});

it.each([
	["with Content-Length", withLength(16 * MIB) + " ".repeat(16 * MIB)],
	["chunked", chunked + chunk(" ".repeat(MIB)).repeat(16) + chunk("")],
	["chunked without an end", chunked + chunk(" ".repeat(MIB)).repeat(16)],
])("returns 413 to a client that sends 16 MiB, %s", async (_, bytes) => {
	const response = await send(bytes);
	expect(response).toMatch(/^HTTP\/1.1 400 Bad Request/);
	expect(response).toMatch(/{"error":413,"message":".*"}$/);
});

it.each([
	["with Content-Length", withLength(plant.length + 1) + plant],
	["before the last chunk", chunked + chunk(plant)],
	["in a chunk", chunked + chunk(`${plant}  `).slice(0, -3)],
])("returns 400 when the body is incomplete: %s", async (_, bytes) => {
	await server.plants.delete("1");
	const response = await send(bytes);
	expect(response).toMatch(/^HTTP\/1.1 400 Bad Request/);
	expect(response).toMatch(
		/{"error":400,"message":"The body is incomplete."}$/,
	);
	expect(await server.plants.get("1", "text")).toBeNull();
});
