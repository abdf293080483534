import { describe, expect, it } from "vitest";
import { expectRefused, expectStored, send, stored } from "./service";

const body = (id: string) => `{"id":${id},"name":"Ficus"}`;
const zeros = (count: number) => "0".repeat(count);

describe("an id", () => {
	it.each([
		["0", "0"],
		["-0", "0"],
		["-0.0e-5", "0"],
		["42", "42"],
		["-7", "-7"],
		["1.0", "1"],
		["1e3", "1000"],
		["1E+3", "1000"],
		["922337203685477E4", "9223372036854770000"],
		["12.50e1", "125"],
		["1000e-3", "1"],
		["999999999999999", "999999999999999"],
		["9007199254740992", "9007199254740992"],
		["9007199254740993", "9007199254740993"],
		["-9007199254740993", "-9007199254740993"],
		["900719925474099.3e1", "9007199254740993"],
		["9223372036854775807", "9223372036854775807"],
		["9.223372036854775807e18", "9223372036854775807"],
		["9223372036854775807.000", "9223372036854775807"],
		["-9223372036854775808", "-9223372036854775808"],
		["-922337203685477580800e-2", "-9223372036854775808"],
		["0e1000000000", "0"],
	])("written %s is stored under %s", async (id, key) => {
		await expectStored({ body: body(id) }, key, { name: "Ficus" });
	});

	it.each([
		["1.5"],
		["1e-1"],
		["1e-400"],
		["1E-400"],
		["999999999999999.999999999999999"],
		["1.0000000000000000000001"],
		["9007199254740993.5"],
		["9223372036854775808"],
		["-9223372036854775809"],
		["9223372036854775807.1"],
		["1e19"],
		["1e400"],
		["-1e400"],
		['"1"'],
		["true"],
		["null"],
		["[1]"],
		['{"id":1}'],
	])("written %s is refused", async (id) => {
		await expectRefused(
			{ body: body(id) },
			400,
			422,
			"id must be an int64 integer",
		);
	});

	it("is kept apart from its neighbours beyond 2^53", async () => {
		for (const id of [
			"9007199254740992",
			"9007199254740993",
			"9007199254740994",
		]) {
			await send({ body: `{"id":${id},"name":"${id}"}` });
		}
		expect(await stored()).toEqual({
			"9007199254740992": '{"name":"9007199254740992"}',
			"9007199254740993": '{"name":"9007199254740993"}',
			"9007199254740994": '{"name":"9007199254740994"}',
		});
	});

	it.each([
		["an exponent of a thousand million", "1e1000000000"],
		["a negative one", "1e-1000000000"],
		["an exponent of a million digits", `1e${"9".repeat(1_000_000)}`],
		["a million digits", "9".repeat(1_000_000)],
		[
			"a million zeros and a one, twice over",
			`1${zeros(500_000)}1${zeros(500_000)}`,
		],
		["a fraction of a million digits", `1.${zeros(999_999)}1`],
	])("is refused at once for %s", async (_, id) => {
		await expectRefused(
			{ body: body(id) },
			400,
			422,
			"id must be an int64 integer",
		);
	});

	it.each([
		["a fraction of a million zeros", `7.${zeros(1_000_000)}`, "7"],
		["a million zeros taken back", `7${zeros(1_000_000)}e-1000000`, "7"],
		["a million zeros in front", `0.${zeros(1_000_000)}7e1000001`, "7"],
	])("is read at once from %s", async (_, id, key) => {
		await expectStored({ body: body(id) }, key, { name: "Ficus" });
	});

	it("is the member's, however its name is escaped", async () => {
		const sent = { body: '{"\\u0069d":9007199254740993,"name":"Ficus"}' };
		await expectStored(sent, "9007199254740993", { name: "Ficus" });
	});
});
