import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import { NewPlant } from "../src/plant";
import { post, stored } from "./request";

const int64 = fc.oneof(
	fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
	fc.bigInt(-20n, 20n),
	fc.bigInt(-5n, 5n).map((n) => BigInt.asIntN(64, 2n ** 63n + n)),
	fc.bigInt(-5n, 5n).map((n) => 2n ** 53n + n),
);

/** An int64 in different spellings: 120, 120.00, 12000e-2, 1.200E+2. */
const integerText = fc.tuple(int64, fc.nat(25)).chain(([id, n]) => {
	const zeros = "0".repeat(n);
	const [, first, rest = ""] = /(-?\d)(.*)/.exec(`${id}`) ?? [];
	return fc.constantFrom(
		`${id}`,
		`${id}.0${zeros}`,
		`${id}${id === 0n ? "" : zeros}e-${n}`,
		`${first}.${rest}0${zeros}E+${rest.length}`,
	);
});

/** Any JSON number (RFC 8259 §6). */
const numberText = fc.stringMatching(
	/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,2})?$/,
);

/** Any string. Half of them have only escaped characters. */
const stringText = fc.oneof(
	fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
	fc.stringMatching(/^"(\\u[0-9a-f]{4})*"$/),
);

const anyText = fc.oneof(integerText, numberText, stringText, fc.json());

/** A JSON object with at least three of five members, in any order. */
const objectText = fc
	.tuple(integerText, stringText, fc.oneof(stringText, anyText), anyText)
	.map(([id, name, tag, any]) => [
		`"\\u0069d" : ${id}`,
		`"n\\u0061me":${name}`,
		`"tag":${tag}`,
		`"id":${any}`,
		`"__proto__":[{"id":${any}}]`,
	])
	.chain((members) => fc.shuffledSubarray(members, { minLength: 3 }))
	.map((members) => `{${members.join()}}`);

/** The int64 that the last top-level `id` of a JSON text equals, by exact arithmetic. */
function exactId(text: string): bigint | undefined {
	const sources = new WeakMap<object, string>();
	const value: unknown = JSON.parse(
		text,
		function (this: object, key, value, context?: { source?: string }) {
			if (key === "id" && typeof value === "number") {
				sources.set(this, context?.source ?? "");
			}
			return value;
		},
	);
	const source = value instanceof Object ? sources.get(value) : undefined;
	if (!source) return undefined;
	const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
	const [whole = "", fraction = ""] = mantissa.split(".");
	const power = (n: number) => 10n ** BigInt(Math.max(n, 0));
	const numerator = BigInt(whole + fraction) * power(Number(exponent));
	const denominator = power(fraction.length) * power(-Number(exponent));
	const id = numerator / denominator;
	const isExact = id * denominator === numerator;
	return isExact && BigInt.asIntN(64, id) === id ? id : undefined;
}

it("accepts exactly the bodies that match NewPlant (property)", async () => {
	const members = Object.keys(NewPlant.shape);
	expect(members, "add the field to objectText").toEqual(["id", "name", "tag"]);
	let accepted = 0;
	await fc.assert(
		fc.asyncProperty(fc.oneof(objectText, anyText), async (body) => {
			const id = exactId(body);
			const { name, tag } = JSON.parse(body) ?? {};
			const isNewPlant =
				id !== undefined &&
				typeof name === "string" &&
				(tag === undefined || typeof tag === "string");

			const res = await post(body);
			if (isNewPlant) {
				accepted++;
				expect(res.status).toBe(200);
				const value = JSON.stringify({ name, tag });
				expect(await stored()).toEqual({ [`${id}`]: value });
				await env.PLANTS.delete(`${id}`);
			} else {
				expect(res.status).toBe(400);
				expect(await res.json()).toMatchObject({ error: 422 });
				expect(await stored()).toEqual({});
			}
		}),
		{ numRuns: 1000 },
	);
	// Otherwise the generator is wrong.
	expect(accepted).toBeGreaterThan(100);
});
