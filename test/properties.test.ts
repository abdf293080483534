import { env } from "cloudflare:workers";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { NewPlant } from "../src/plant";
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

const anyText = fc.oneof(
	integerText,
	numberText,
	stringText,
	integerText.map((id) => `[{"id":${id}}]`),
	fc.json(),
);

/** For each member of NewPlant: the texts of valid values, and whether a value is valid. */
const members: Record<
	keyof NewPlant,
	{ text: fc.Arbitrary<string>; isValid: (value: unknown) => boolean }
> = {
	id: { text: integerText, isValid: (id) => typeof id === "bigint" },
	name: { text: stringText, isValid: (name) => typeof name === "string" },
	tag: {
		text: stringText,
		isValid: (tag) => tag === undefined || typeof tag === "string",
	},
};

const validMembers = Object.entries(members).map(([name, { text }]) => {
	const escaped = `\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
	return text.map((value) => `"${escaped}" : ${value}`);
});
const anyName = fc.constantFrom(...Object.keys(members), "__proto__");
const anyMember = fc.oneof(
	numberText.map((number) => `"id":${number}`),
	fc.tuple(anyName, anyText).map(([name, value]) => `"${name}":${value}`),
);

/** A JSON object in any order. One member may be missing, and one may have any value. */
const objectText = fc
	.tuple(...validMembers, anyMember)
	.chain((all) => fc.shuffledSubarray(all, { minLength: all.length - 1 }))
	.map((all) => `{${all.join()}}`);

/** Like JSON.parse, but with the exact value of each id, if it is an int64. */
const parse = (text: string) =>
	JSON.parse(text, (key, value, context?: { source?: string }) =>
		key === "id" && typeof value === "number"
			? toInt64(context?.source ?? "")
			: value,
	);

/** The int64 that a JSON number equals. */
function toInt64(number: string): bigint | undefined {
	const [mantissa = "", exponent = "0"] = number.toLowerCase().split("e");
	const [whole = "", fraction = ""] = mantissa.split(".");
	const power = (n: number) => 10n ** BigInt(Math.max(n, 0));
	const numerator = BigInt(whole + fraction) * power(Number(exponent));
	const denominator = power(fraction.length) * power(-Number(exponent));
	const id = numerator / denominator;
	const isExact = id * denominator === numerator;
	return isExact && BigInt.asIntN(64, id) === id ? id : undefined;
}

/** JSON text with sorted members. The text of a failure cannot have a lone surrogate. */
const sorted = (text: string) =>
	JSON.stringify(Object.entries(JSON.parse(text)).sort());

it("accepts exactly the bodies that match NewPlant (property)", async () => {
	let accepted = 0;
	await fc.assert(
		fc.asyncProperty(fc.oneof(objectText, anyText), async (body) => {
			const value = parse(body) ?? {};
			const entries = Object.keys(members).map((name) => [name, value[name]]);
			const { id, ...plant } = Object.fromEntries(entries);
			const isNewPlant = Object.entries(members).every(([name, { isValid }]) =>
				isValid(value[name]),
			);
			const res = await post(body);
			const text = await res.text();
			const inStore = await stored();
			for (const key of Object.keys(inStore)) await env.PLANTS.delete(key);
			if (isNewPlant) {
				accepted++;
				expect(res.status).toBe(200);
				expect(sorted(text)).toBe(sorted(JSON.stringify(plant)));
				expect(inStore).toEqual({ [`${id}`]: text });
			} else {
				expect(res.status).toBe(400);
				expect(JSON.parse(text)).toMatchObject({ error: 422 });
				expect(inStore).toEqual({});
			}
		}),
		{ numRuns: 1000 },
	);
	// Otherwise the generator is wrong.
	expect(accepted).toBeGreaterThan(100);
});
