import { env } from "cloudflare:workers";
import { describe, expect, it, onTestFinished } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import app from "../src/index";
import { post, stored } from "./request";

const plant = '{"id":1,"name":"Ficus"}';

/**
 * A body without Content-Length, as with `Transfer-Encoding: chunked`. Takes the chunks
 * out of the array, and adds the size of each buffer that the reader offers to `buffers`.
 */
const chunked = (chunks: (string | Uint8Array)[], buffers: number[] = []) =>
	new ReadableStream({
		type: "bytes",
		async pull(controller) {
			buffers.push(controller.byobRequest?.view?.byteLength ?? 0);
			const chunk = await new Blob([chunks.shift() ?? ""]).bytes();
			if (chunk.length > 0) return controller.enqueue(chunk);
			controller.close();
			controller.byobRequest?.respond(0);
		},
	});

describe("the media type", () => {
	it.each([
		"application/json",
		"Application/JSON",
		"application/json;charset=utf-8",
		"application/json ; charset=UTF-8; profile=x",
		"application/json\t;charset=utf-16le",
		"application/json;",
	])("may be %j", async (type) => {
		const res = await post(plant, { "Content-Type": type });
		expect(res.status).toBe(200);
	});

	it.each([
		"",
		"text/plain",
		"application/jsonp",
		"application/json charset=utf-8",
		"application/json\f;charset=utf-8",
		"application/json, application/json",
		"text/plain; application/json",
	])("returns error 415 when it is %j", async (type) => {
		const res = await post(plant, { "Content-Type": type });
		expect(res.status).toBe(400);
		expect(await res.json()).toEqual({
			error: 415,
			message: "Send the header Content-Type: application/json.",
		});
		expect(await stored()).toEqual({});
	});

	it("returns error 415 when it is missing", async () => {
		const headers = { Authorization: "Bearer test-token" };
		const init = { method: "POST", headers, body: new Blob([plant]) };
		const res = await app.request("/plants", init, env);
		expect(await res.json()).toMatchObject({ error: 415 });
	});
});

describe("the size", () => {
	/** A plant of this many bytes. Its name ends in "end". */
	const sized = (bytes: number) =>
		`{"id":1,"name":"${"end".padStart(bytes - 18, "x")}"}`;

	it.each([
		["with Content-Length", sized(MAX_BODY_BYTES)],
		["chunked", chunked([sized(MAX_BODY_BYTES)])],
		[
			"in many chunks",
			chunked(sized(MAX_BODY_BYTES).match(/.{1,1000}/g) ?? []),
		],
	])("may be as large as the limit, %s", async (_, body) => {
		const res = await post(body);
		expect(res.status).toBe(200);
		const text = await res.text();
		expect(text.length).toBe(MAX_BODY_BYTES - '"id":1,'.length);
		expect(text.slice(-5)).toBe('end"}');
	});

	it.each([
		["a byte too much", sized(MAX_BODY_BYTES + 1), {}],
		["a byte too much in a chunk", chunked([sized(MAX_BODY_BYTES + 1)]), {}],
		["a byte too much in two", chunked([sized(MAX_BODY_BYTES), " "]), {}],
		// A Worker that calls this one through a service binding can send it.
		[
			"more than Content-Length says",
			sized(3 * MAX_BODY_BYTES),
			{ "Content-Length": "19" },
		],
		["more bytes than characters", "ü".repeat(MAX_BODY_BYTES / 2 + 1), {}],
	])("returns error 413 for %s", async (_, body, headers) => {
		const res = await post(body, headers);
		expect(res.status).toBe(400);
		expect(await res.json()).toEqual({
			error: 413,
			message: `The body has more than ${MAX_BODY_BYTES} bytes.`,
		});
		expect(await stored()).toEqual({});
	});

	it("reads a larger body to its end, and keeps no part of it", async () => {
		const { push } = Array.prototype;
		onTestFinished(() => void Object.assign(Array.prototype, { push }));
		const arrays = new Set<unknown[]>();
		// readBytes pushes the parts to an array.
		Array.prototype.push = function (...items) {
			if (items[0] instanceof Uint8Array) arrays.add(this);
			return push.apply(this, items);
		};
		const chunks: string[] = Array(20).fill(" ".repeat(MAX_BODY_BYTES));
		const res = await post(chunked(chunks));
		expect(await res.json()).toMatchObject({ error: 413 });
		expect(chunks).toEqual([]);
		expect([...arrays]).toEqual([[]]);
	});

	it("reserves at most 64 KiB at once, and 300 KB for a body of 100 KB", async () => {
		const buffers: number[] = [];
		const chunks = sized(100_000).match(/.{1,1000}/g) ?? [];
		const res = await post(chunked(chunks, buffers));
		expect(res.status).toBe(200);
		expect(Math.max(...buffers)).toBeLessThanOrEqual(65_536);
		const total = buffers.reduce((sum, size) => sum + size, 0);
		expect(total).toBeLessThan(300_000);
	});
});

describe("the encoding", () => {
	it.each([
		["a byte that is never UTF-8", [0xff]],
		["ISO 8859-1", [0xfc]],
		["an overlong form", [0xc0, 0xaf]],
		["an encoded surrogate", [0xed, 0xa0, 0x80]],
		["a code point beyond U+10FFFF", [0xf4, 0x90, 0x80, 0x80]],
		["an incomplete character", [0xc3]],
		["gzip", [0x1f, 0x8b]],
	])("returns 400 for %s", async (_, bytes) => {
		const body = new Blob(['{"id":1,"name":"', new Uint8Array(bytes), '"}']);
		const res = await post(await body.arrayBuffer());
		expect(res.status).toBe(400);
		expect(await res.json()).toEqual({
			error: 400,
			message: "The body is not UTF-8 or is compressed.",
		});
		expect(await stored()).toEqual({});
	});

	it("ignores Content-Encoding", async () => {
		const res = await post(plant, { "Content-Encoding": "gzip" });
		expect(res.status).toBe(200);
	});

	it("ignores a byte order mark at the start", async () => {
		const res = await post(`\ufeff${plant}`);
		expect(res.status).toBe(200);
		expect(await stored()).toEqual({ 1: '{"name":"Ficus"}' });
	});

	it("reads a character that is split over two chunks", async () => {
		const bytes = new TextEncoder().encode('{"id":1,"name":"🌱"}');
		await post(chunked([bytes.slice(0, 18), bytes.slice(18)]));
		expect(await stored()).toEqual({ 1: '{"name":"🌱"}' });
	});

	it("returns 400 for an incomplete character at the end, and forgets it", async () => {
		const body = new Blob([plant, new Uint8Array([0xe2, 0x82])]);
		expect((await post(await body.bytes())).status).toBe(400);
		expect((await post(plant)).status).toBe(200);
	});
});

describe("JSON", () => {
	it.each([
		["no body", null],
		["an empty body", ""],
		["an empty chunked body", chunked([])],
		["white space", " \r\n"],
		["an incomplete object", plant.slice(0, 15)],
		["text after the object", `${plant}x`],
		["two byte order marks", `\ufeff\ufeff${plant}`],
		["a comment", `/* */${plant}`],
		["a trailing comma", '{"id":1,\n"name":"Ficus",}'],
		["single quotes", "{'id':1,'name':'Ficus'}"],
		["a control character", '{"id":1,"name":"\n"}'],
		["a leading zero", '{"id":01,"name":"Ficus"}'],
		["a plus sign", '{"id":+1,"name":"Ficus"}'],
		["a hexadecimal number", '{"id":0x1}'],
		["a number without a fraction", '{"id":1.}'],
		["Infinity", '{"id":Infinity,"name":"Ficus"}'],
		["100,000 open brackets", "[".repeat(100_000)],
		["UTF-16", new Uint8Array([0x7b, 0, 0x7d, 0])],
	])("returns 400 for %s", async (_, body) => {
		const res = await post(body);
		expect(res.status).toBe(400);
		expect(await res.json()).toEqual({
			error: 400,
			message: expect.stringMatching(
				/^The body is not valid JSON( \(line \d+ column \d+\))?\.$/,
			),
		});
		expect(await stored()).toEqual({});
	});

	it.each([
		["the position", "{\n'id':1}", " (line 2 column 1)"],
		["no part of the body", "[x (line 1 column 2)", ""],
	])("returns 400 with %s", async (_, body, position) => {
		const res = await post(body);
		expect(await res.json()).toEqual({
			error: 400,
			message: `The body is not valid JSON${position}.`,
		});
	});
});

it.each([
	["chunked", {}],
	["with Content-Length", { "Content-Length": "23" }],
])("returns 400 when the client disconnects: %s", async (_, headers) => {
	let pulls = 0;
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			if (pulls++ > 0) controller.error(new Error("disconnected"));
			else controller.enqueue(new Uint8Array(100_000));
		},
	});
	const res = await post(body, headers);
	expect(res.status).toBe(400);
	expect(await res.json()).toEqual({
		error: 400,
		message: "The body is incomplete.",
	});
	// The next body has no part of it.
	expect((await post(chunked([plant]))).status).toBe(200);
});

it("keeps two requests at the same time apart", async () => {
	const texts = ['{"name":"one"}', '{"name":"two"}'];
	const responses = texts.map(async (text, id) => {
		const res = await post(chunked([`{"id":${id},`, text.slice(1)]));
		return res.text();
	});
	expect(await Promise.all(responses)).toEqual(texts);
});
