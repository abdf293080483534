import { describe, expect, it } from "vitest";
import { breaksOff, expectRefused, expectStored } from "./service";

const MIB = 1_048_576;
const GOOD = '{"id":1,"name":"Ficus"}';

/** A stream has no Content-Length: it is sent chunked. */
const chunked = (...chunks: (string | Uint8Array)[]) =>
	new Blob(chunks).stream().pipeThrough(new TransformStream());

describe("a media type", () => {
	it.each([
		["application/json"],
		["Application/JSON"],
		["application/json;charset=utf-8"],
		["application/json ; charset=UTF-8; profile=x"],
		["application/json\t;charset=utf-16le"],
		["application/json;"],
	])("is taken: %s", async (type) => {
		await expectStored({ body: GOOD, headers: { "Content-Type": type } }, "1", {
			name: "Ficus",
		});
	});

	it.each([
		[null],
		[""],
		["text/plain"],
		["application/jsonp"],
		["application/json-patch+json"],
		["application/vnd.api+json"],
		["application/x-www-form-urlencoded"],
		["application/json charset=utf-8"],
		["application/json, application/json"],
		["text/plain; application/json"],
		["json"],
	])("is refused: %s", async (type) => {
		const sent = {
			body: new TextEncoder().encode(GOOD),
			headers: { "Content-Type": type },
		};
		await expectRefused(sent, 400, 415, /application\/json/);
	});
});

describe("a body's size", () => {
	const sized = (bytes: number) => GOOD + " ".repeat(bytes - GOOD.length);

	it("may be 1 MiB, with a length", async () => {
		await expectStored({ body: sized(MIB) }, "1", { name: "Ficus" });
	});

	it("may be 1 MiB, chunked", async () => {
		await expectStored({ body: chunked(sized(MIB)) }, "1", { name: "Ficus" });
	});

	it("is counted in bytes, not in characters", async () => {
		const name = "ü".repeat(MIB / 2);
		await expectRefused(
			{ body: `{"id":1,"name":"${name}"}` },
			400,
			413,
			/1048576 bytes/,
		);
	});

	it.each([
		["with a length", sized(MIB + 1)],
		["chunked", chunked(sized(MIB + 1))],
	])("may not be a byte over 1 MiB, %s", async (_, body) => {
		await expectRefused({ body }, 400, 413, /1048576 bytes/);
	});

	it.each([
		[
			"over the limit",
			{ body: GOOD, headers: { "Content-Length": String(MIB + 1) } },
		],
		[
			"under what is sent",
			{ body: chunked(sized(MIB + 1)), headers: { "Content-Length": "23" } },
		],
	])("is refused when it is declared %s", async (_, sent) => {
		await expectRefused({ ...sent, env: {} }, 400, 413, /1048576 bytes/);
	});

	it("is read no further than the limit", async () => {
		let pulled = 0;
		const body = new ReadableStream({
			type: "bytes",
			pull: (controller) => {
				pulled += 65_536;
				controller.enqueue(new Uint8Array(65_536));
				if (pulled >= 2 * MIB) controller.close();
			},
		});
		await expectRefused({ body, env: {} }, 400, 413, /1048576 bytes/);
		expect(pulled).toBeLessThan(1.5 * MIB);
	});
});

describe("a body that breaks off", () => {
	it.each([
		["chunked", {}],
		["with a length", { "Content-Length": "23" }],
	])("is refused: %s", async (_, headers) => {
		const sent = { body: breaksOff(), headers, env: {} };
		await expectRefused(sent, 400, 400, /broke off/);
	});
});

describe("an encoding", () => {
	const withName = (...bytes: number[]) =>
		new Blob(['{"id":1,"name":"', new Uint8Array(bytes), '"}']);

	it.each([
		["a byte that is never UTF-8", withName(0xff)],
		["ISO 8859-1", withName(0xfc)],
		["an overlong form", withName(0xc0, 0xaf)],
		["an encoded surrogate", withName(0xed, 0xa0, 0x80)],
		["a code point beyond U+10FFFF", withName(0xf4, 0x90, 0x80, 0x80)],
		["a character cut off", withName(0xc3)],
		[
			"UTF-16",
			new Blob([
				new Uint8Array([...GOOD].flatMap((c) => [c.charCodeAt(0), 0])),
			]),
		],
	])("is refused when it is not UTF-8: %s", async (what, blob) => {
		// UTF-16 of ASCII is valid UTF-8, full of NUL: so it fails as JSON instead.
		const message = what === "UTF-16" ? /not JSON/ : /not UTF-8/;
		await expectRefused({ body: await blob.bytes() }, 400, 400, message);
	});

	it("is refused when it is a compression", async () => {
		const body = new Blob([GOOD])
			.stream()
			.pipeThrough(new CompressionStream("gzip"));
		await expectRefused(
			{ body },
			400,
			400,
			/not UTF-8; send it as UTF-8, uncompressed/,
		);
	});

	it("leaves nothing of a character cut off for the next body", async () => {
		const body = new Blob([GOOD, new Uint8Array([0xe2, 0x82])]);
		await expectRefused({ body }, 400, 400, /not UTF-8/);
		await expectStored({ body: GOOD }, "1", { name: "Ficus" });
	});

	it("may spread a character over two chunks", async () => {
		const bytes = new TextEncoder().encode('{"id":1,"name":"🌱"}');
		const body = chunked(bytes.subarray(0, 18), bytes.subarray(18));
		await expectStored({ body }, "1", { name: "🌱" });
	});
});

describe("a body that is not JSON", () => {
	it.each([
		["no body", null],
		["an empty body", ""],
		["an empty body, chunked", chunked()],
		["white space", " \r\n"],
		["cut off in the middle", GOOD.slice(0, 15)],
		["something after the object", `${GOOD}x`],
		["two objects", GOOD + GOOD],
		["a byte order mark", `\ufeff${GOOD}`],
		["a comment", `/* */${GOOD}`],
		["a trailing comma", '{"id":1,"name":"Ficus",}'],
		["single quotes", "{'id':1,'name':'Ficus'}"],
		["a raw control character", '{"id":1,"name":"\n"}'],
		["a leading zero", '{"id":01,"name":"Ficus"}'],
		["a plus sign", '{"id":+1,"name":"Ficus"}'],
		["hexadecimal", '{"id":0x1,"name":"Ficus"}'],
		["a bare fraction", '{"id":1.,"name":"Ficus"}'],
		["NaN", '{"id":NaN,"name":"Ficus"}'],
		["Infinity", '{"id":Infinity,"name":"Ficus"}'],
		["a hundred thousand open brackets", "[".repeat(100_000)],
		["a form", "id=1&name=Ficus"],
	])("is refused: %s", async (_, body) => {
		await expectRefused(
			{ body },
			400,
			400,
			"The body is not JSON; send one JSON object.",
		);
	});
});

describe("deep nesting", () => {
	const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;

	it("is ignored in an unknown member", async () => {
		await expectStored({ body: `{"id":1,"name":"Ficus","x":${nested}}` }, "1", {
			name: "Ficus",
		});
	});

	it.each([
		["a number that must be read exactly", "9007199254740993", "Ficus"],
		["a string that looks like one", "1", "v1.5"],
	])("is refused beside %s", async (_, id, name) => {
		const body = `{"id":${id},"name":"${name}","x":${nested}}`;
		await expectRefused({ body }, 400, 400, /nested too deeply/);
	});
});

describe("a body that is no NewPlant", () => {
	it.each([
		["{}", "id is required; name is required"],
		['{"id":1}', "name is required"],
		['{"name":"Ficus"}', "id is required"],
		['{"id":1.5}', "id must be an int64 integer; name is required"],
		['{"id":1,"name":null}', "name must be a string"],
		['{"id":1,"name":2}', "name must be a string"],
		['{"id":1,"name":2.5}', "name must be a string"],
		['{"id":1,"name":["Ficus"]}', "name must be a string"],
		['{"id":1,"name":"Ficus","tag":null}', "tag must be a string"],
		['{"id":1,"name":"Ficus","tag":9007199254740993}', "tag must be a string"],
		[
			'{"id":"1","name":true,"tag":{}}',
			"id must be an int64 integer; name must be a string; tag must be a string",
		],
		['{"ID":1,"Name":"Ficus"}', "id is required; name is required"],
		[
			'{"__proto__":{"id":1,"name":"Ficus"}}',
			"id is required; name is required",
		],
		["[]", "the body must be a JSON object"],
		['[{"id":1,"name":"Ficus"}]', "the body must be a JSON object"],
		["null", "the body must be a JSON object"],
		["1", "the body must be a JSON object"],
		["1.5", "the body must be a JSON object"],
		['"Ficus"', "the body must be a JSON object"],
		["true", "the body must be a JSON object"],
	])("is refused: %s", async (body, message) => {
		await expectRefused({ body }, 400, 422, message);
	});
});
