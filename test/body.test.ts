import { describe, expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import {
	chunked,
	members,
	overHttp,
	plant,
	post,
	send,
	stored,
	value,
} from "./request";

describe("the media type", () => {
	it.each([
		"application/json",
		"Application/JSON",
		"application/json  ; charset=UTF-8; profile=x",
		"application/json\t;charset=utf-16le",
		"application/json;",
	])("may be %j", async (type) => {
		const res = await post(plant, { "Content-Type": type });
		expect(res.status).toBe(200);
	});

	it.each([
		"",
		"text/plain",
		"text/json",
		"*/*",
		"application.json",
		"application/jsonp",
		"application/problem+json",
		"application/json charset=utf-8",
		"application/json\f;charset=utf-8",
		"application/json, application/json",
		"text/plain; application/json",
	])("returns error 415 when it is %j", async (type) => {
		const res = await post(plant, { "Content-Type": type });
		expect(res.status).toBe(400);
		expect(await res.json()).toMatchObject({ error: 415 });
		expect(await stored()).toEqual({});
	});

	it("returns error 415 when it is missing", async () => {
		const res = await post(new Blob([plant]), { "Content-Type": undefined });
		expect(await res.json()).toMatchObject({ error: 415 });
	});
});

describe("the size", () => {
	/** A plant of this many bytes. Its name has characters of 3 bytes, and ends in "xend". */
	function sized(bytes: number) {
		const [start, end] = [`{"id":1,${members},"name":"`, 'xend"}'];
		const rest = bytes - start.length - end.length;
		return `${start}${"x".repeat(rest % 3)}${"€".repeat(rest / 3)}${end}`;
	}

	it.each([
		["with Content-Length", (body: string) => body],
		["chunked", (body: string) => chunked([body])],
		[
			"in many chunks",
			(body: string) => chunked(body.match(/.{1,1000}/g) ?? []),
		],
	])("may be as large as the limit, %s", async (_, framed) => {
		// Wherever a body is cut to decode it in pieces, one of the two has a character there.
		for (const bytes of [MAX_BODY_BYTES - 1, MAX_BODY_BYTES]) {
			const body = sized(bytes);
			const res = await post(framed(body));
			expect(res.status).toBe(200);
			const { name } = await res.json<{ name: string }>();
			expect(name.length).toBe(JSON.parse(body).name.length);
			expect(name.slice(-5)).toBe("€xend");
		}
	});

	it.each([
		["a byte too much", sized(MAX_BODY_BYTES + 1)],
		["a byte too much in two chunks", chunked([sized(MAX_BODY_BYTES), " "])],
	])("returns error 413 for %s", async (_, body) => {
		const res = await post(body);
		expect(res.status).toBe(400);
		expect(await res.json()).toMatchObject({ error: 413 });
		expect(await stored()).toEqual({});
	});

	it("is that of the body, whatever Content-Length says", async () => {
		for (const length of ["5", `${MAX_BODY_BYTES + 1}`]) {
			const res = await post(plant, { "Content-Length": length });
			expect(res.status).toBe(200);
		}
		const large = sized(3 * MAX_BODY_BYTES);
		const res = await post(large, { "Content-Length": "19" });
		expect(await res.json()).toMatchObject({ error: 413 });
		expect(await stored()).toEqual({ 1: value });
	});

	it.each([{}, { "Content-Length": `${MAX_BODY_BYTES + 1}` }])(
		"reads a larger body to its end, with %j",
		async (headers) => {
			const chunks: string[] = Array(100).fill(" ".repeat(MAX_BODY_BYTES));
			const res = await post(chunked(chunks), headers);
			expect(await res.json()).toMatchObject({ error: 413 });
			expect(chunks.length).toBe(0);
		},
	);
});

it("is read into a buffer of about the limit", async () => {
	const sizes: (number | undefined)[] = [];
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			sizes.push(controller.byobRequest?.view?.byteLength);
			controller.close();
			controller.byobRequest?.respond(0);
		},
	});
	expect((await post(body)).status).toBe(400);
	for (const size of sizes) expect(size).toBeLessThan(2 * MAX_BODY_BYTES);
});

describe("the encoding", () => {
	it.each([
		["ISO 8859-1", [0xfc]],
		["an encoded surrogate", [0xed, 0xa0, 0x80]],
		["gzip", [0x1f, 0x8b]],
	])("returns 400 for %s", async (_, bytes) => {
		const start = `{"id":1,${members},"name":"`;
		const body = new Blob([start, new Uint8Array(bytes), '"}']);
		const res = await post(await body.arrayBuffer());
		expect(res.status).toBe(400);
		expect(await res.json()).toMatchObject({ error: 400 });
		expect(await stored()).toEqual({});
	});

	it("ignores Content-Encoding", async () => {
		const res = await post(plant, { "Content-Encoding": "gzip" });
		expect(res.status).toBe(200);
	});

	it("ignores a byte order mark at the start", async () => {
		const res = await post(`\ufeff${plant}`);
		expect(res.status).toBe(200);
		expect(await stored()).toEqual({ 1: value });
	});

	// With { stream: true }, a TextDecoder of the module would keep the byte for the next request.
	it("returns 200 after a body that ended within a character", async () => {
		const bytes = new Blob([plant, new Uint8Array([0xc3])]);
		expect((await post(await bytes.arrayBuffer())).status).toBe(400);
		expect((await post(plant)).status).toBe(200);
	});

	it("reads characters that are split over two chunks", async () => {
		const body = new TextEncoder().encode(`{"id":1,${members},"name":"€"}`);
		const end = body.length - 4; // After the first of the three bytes of €.
		const chunks = [body.slice(0, end), body.slice(end)];
		const res = await post(chunked(chunks));
		const text = await res.text();
		expect(JSON.parse(text)).toMatchObject({ name: "€" });
		expect(await stored()).toEqual({ 1: text });
	});
});

describe("JSON", () => {
	it.each([
		["no body", null],
		["an empty body", ""],
		["an empty chunked body", chunked([])],
		["only a byte order mark", "\ufeff"],
		["a space", " "],
		["an incomplete object", plant.slice(0, 15)],
		["text after the object", `${plant}x`],
		["U+00A0 after the object", `${plant}\u00a0`],
		["NUL after the object", `${plant}\0`],
		["a comment", `${plant} // comment`],
		["two byte order marks", `\ufeff\ufeff${plant}`],
		["a trailing comma", `{"id":1,${members},}`],
		["only open brackets", "[".repeat(MAX_BODY_BYTES)],
		["UTF-16", new Uint8Array([0x7b, 0, 0x7d, 0])],
	])("returns 400 for %s", async (_, body) => {
		const res = await post(body);
		expect(res.status).toBe(400);
		expect(await res.json()).toMatchObject({ error: 400 });
		expect(await stored()).toEqual({});
	});

	it("returns 400 with the position of the error", async () => {
		const res = await post(`{${"\n".repeat(18)}${" ".repeat(8)}x}`);
		const message = expect.stringMatching(/\b19\b.*\b9\b/);
		expect(await res.json()).toMatchObject({ error: 400, message });
	});

	// V8 quotes the bodies. The last two have what looks like a position.
	it.each(["[quokka", "[x (line 7 column 8)", "x (line 7 column 8)\n"])(
		"returns 400 with no part of the body %j",
		async (body) => {
			const res = await post(body);
			const message = expect.not.stringMatching(/quokka|7/);
			expect(await res.json()).toMatchObject({ error: 400, message });
		},
	);
});

it.each([
	["chunked", 100_000, {}],
	["chunked, after the limit", 200_000, {}],
	["with Content-Length", 100_000, { "Content-Length": "23" }],
])("returns 400 when the client disconnects: %s", async (_, bytes, headers) => {
	let pulls = 0;
	const body = new ReadableStream({
		type: "bytes",
		pull(controller) {
			if (pulls++ > 0) controller.error(new Error("disconnected"));
			else controller.enqueue(new Uint8Array(bytes));
		},
	});
	const res = await post(body, headers);
	expect(res.status).toBe(400);
	expect(await res.json()).toMatchObject({ error: 400 });
});

it("returns 500, and logs a line, when a bug of the Worker prevents parsing", async () => {
	const log = vi.spyOn(console, "error").mockReturnValue();
	const parse = JSON.parse;
	// The test runner parses, too.
	vi.spyOn(JSON, "parse").mockImplementation((text) => {
		if (text === plant) throw new TypeError("a bug");
		return parse(text);
	});
	const res = await post(plant);
	expect(res.status).toBe(500);
	expect(log).toHaveBeenCalledOnce();
});

it.each([{}, { "Content-Length": `${plant.length}` }])(
	"returns 500, and logs a line, when a bug of the Worker prevents reading: %j",
	async (headers) => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const request = new Request("http://localhost/plants", {
			method: "POST",
			headers: {
				Authorization: "Bearer test-token",
				"CF-Ray": "8f2a-PRG",
				"Content-Type": "application/json",
				...headers,
			},
			body: plant,
		});
		request.body?.getReader(); // Something else reads it.
		const res = await send(request);
		expect(res.status).toBe(500);
		expect(log).toHaveBeenCalledOnce();
	},
);

it.each([
	["the token is missing", "POST", "/plants", { Authorization: "" }],
	["the token is wrong", "POST", "/plants", { Authorization: "Bearer x" }],
	["it came over http", "POST", "/plants", overHttp],
	["the path is wrong", "POST", "/other", {}],
	["the method is wrong", "PUT", "/plants", {}],
	["the media type is wrong", "POST", "/plants", { "Content-Type": "" }],
])("is not read when %s", async (_, method, path, headers) => {
	const request = new Request(`http://localhost${path}`, {
		method,
		headers: {
			Authorization: "Bearer test-token",
			"Content-Type": "application/json",
			...headers,
		},
		body: plant,
	});
	await send(request);
	expect(request.bodyUsed).toBe(false);
});
