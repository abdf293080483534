import { expect, it } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { parseWithExactId } from "../src/exact-id";
import { members, newPlant, post, stored, value } from "./request";

const zeros = (count: number) => "0".repeat(count);

/** A plant with as many nested arrays as fit. */
function nestedPlant() {
	const start = `{"id":9007199254740993,${members},"x":`;
	const depth = Math.floor((MAX_BODY_BYTES - start.length - 1) / 2);
	return `${start}${"[".repeat(depth)}${"]".repeat(depth)}}`;
}

it.each([
	["0", "0"],
	["-0.0e-5", "0"],
	["0e1000000000", "0"],
	["1.0", "1"],
	["1E+3", "1000"],
	["1000e-3", "1"],
	[" -9007199254740993 ", "-9007199254740993"],
	["0.09007199254740993e17", "9007199254740993"],
	["9223372036854775807", "9223372036854775807"],
	["-9223372036854775808", "-9223372036854775808"],
	["-922337203685477580800e-2", "-9223372036854775808"],
	[`7.${zeros(300)}`, "7"],
	[`7${zeros(300)}e-300`, "7"],
	[`0.${zeros(300)}7e301`, "7"],
])("stores the id %s under the key %s", async (id, key) => {
	const res = await post(newPlant(id));
	expect(res.status).toBe(200);
	expect(await stored()).toEqual({ [key]: value });
});

it.each([
	"1.5",
	"1.9",
	"15E-1",
	"1.00000000000000000001",
	"0.010",
	"1e-1000000000",
	"9007199254740993.5",
	"9223372036854775808",
	"-9223372036854775809",
	"1e1000000000",
	"1E400",
	`1e${"9".repeat(400)}`,
	`1${zeros(300)}1${zeros(300)}`,
	'"1"',
	'{"id":1}',
])("returns error 422 for the id %s", async (id) => {
	// In the second body, a string looks like a number that may be rounded.
	for (const name of ["Ficus", "v1.5"]) {
		const res = await post(`{"id":${id},${members},"name":"${name}"}`);
		expect(res.status).toBe(400);
		expect(await res.json()).toMatchObject({ error: 422 });
	}
	expect(await stored()).toEqual({});
});

// A bigint of a million digits takes 40 ms. A test has no clock, so this one looks at the bigint.
it("makes no long bigint of a short number", () => {
	const { id } = parseWithExactId('{"id":1e999999}') as { id: unknown };
	expect(`${id}`.length).toBeLessThan(100);
});

it.each([
	["an escaped i", `{"\\u0069d":9007199254740993,${members}}`],
	["an escaped d", `{"i\\u0064":9007199254740993,${members}}`],
	["escapes in its name", `{"\\u0069\\u0064":9007199254740993,${members}}`],
	["the value id", `{"id":9007199254740993,${members},"x":"id"}`],
	["white space", `{ "id" \t:\r\n9007199254740993 , ${members} }`],
	[
		"repeated members",
		`{"id":1.5,"name":5,"id":"x","id":9007199254740993,${members},"ID":2}`,
	],
	[
		"an id in an object or array",
		`{"x":{"id":1.5},"id":9007199254740993,"y":[{"id":2.5}],${members}}`,
	],
	[
		"an id in a string",
		`{"id":9007199254740993,${members},"x":"\\"id\\":1.5"}`,
	],
	[
		"brackets and escapes in strings",
		`{"x":"}]\\\\","\\"{[":"\\\\\\"{\\n","id":9007199254740993,${members}}`,
	],
	[
		"numbers in strings",
		`{"x":"\\"1.5","\\\\1.5":"1e3","id":9007199254740993,${members}}`,
	],
	[
		"numbers of each kind",
		`{"x":[-1.5E+3,0e-0,-0,12345678901234567,{"y":1}],"id":9007199254740993,${members}}`,
	],
	["as many nested arrays as fit", nestedPlant()],
])("reads the top-level id exactly with %s", async (_, body) => {
	const res = await post(body);
	expect(res.status).toBe(200);
	expect(Object.keys(await stored())).toEqual(["9007199254740993"]);
});
