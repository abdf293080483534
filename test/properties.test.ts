import { env } from "cloudflare:workers";
import { Validator } from "@cfworker/json-schema";
import fc from "fast-check";
import { expect, it } from "vitest";
import openapi from "../src/openapi.json";
import { post, stored } from "./request";

// fast-check prints the seed and the smallest failing input.

const zeros = (count: number) => "0".repeat(count);

const int64 = fc.oneof(
	fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
	fc.bigInt(-20n, 20n),
	fc.bigInt(-5n, 5n).map((n) => BigInt.asIntN(64, 2n ** 63n + n)),
	fc.bigInt(-5n, 5n).map((n) => 2n ** 53n + n),
);

/** An int64 in many spellings: 12, 12.00, 1200e-2, 1.2E+1. */
const integerText = fc
	.tuple(int64, fc.nat(25), fc.nat(18), fc.constantFrom("e", "E"))
	.chain(([id, n, point, e]) => {
		const [, sign = "", digits = ""] = /(-?)(.+)/.exec(`${id}`) ?? [];
		const padded = digits.padStart(point + 1, "0");
		const moved = `${padded.slice(0, padded.length - point)}.${padded.slice(padded.length - point)}`;
		return fc.constantFrom(
			`${id}`,
			`${id}.${zeros(n + 1)}`,
			`${id}${id === 0n ? "" : zeros(n)}${e}-${n}`,
			`${sign}${moved}${zeros(n + 1)}${e}+${point}`,
		);
	});

/** Any JSON number (RFC 8259 §6). */
const numberText = fc.stringMatching(
	/^-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,22})?([eE][+-]?[0-9]{1,2})?$/,
);

/** Any string, lone surrogates included, with some characters escaped. */
const stringText = fc
	.array(fc.tuple(fc.integer({ min: 0, max: 0xffff }), fc.boolean()))
	.map((units) =>
		units
			.map(([unit, isEscaped]) =>
				isEscaped
					? `\\u${unit.toString(16).padStart(4, "0")}`
					: JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
			)
			.join(""),
	)
	.map((text) => `"${text}"`);

const anyText = fc.oneof(integerText, numberText, stringText, fc.json());

/** The last top-level `id` of a JSON text, as it is written. */
function sourceOfId(text: string): string | undefined {
	const sources = new WeakMap<object, string>();
	const value: unknown = JSON.parse(
		text,
		function (this: object, key, value, context?: { source?: string }) {
			if (key === "id" && context?.source) sources.set(this, context.source);
			return value;
		},
	);
	return value instanceof Object ? sources.get(value) : undefined;
}

/** The int64 that a JSON number equals, by exact arithmetic on fractions. */
function exactInt64(source: string): bigint | undefined {
	const [mantissa = "", exponent = "0"] = source.toLowerCase().split("e");
	const [whole = "", fraction = ""] = mantissa.split(".");
	const numerator =
		BigInt(whole + fraction) * 10n ** BigInt(Math.max(Number(exponent), 0));
	const denominator =
		10n ** BigInt(fraction.length + Math.max(-Number(exponent), 0));
	const integer = numerator / denominator;
	const exact =
		integer * denominator === numerator &&
		BigInt.asIntN(64, integer) === integer;
	return exact ? integer : undefined;
}

it("accepts exactly the bodies that match NewPlant (property)", async () => {
	const schema: object = openapi.components.schemas.NewPlant;
	const validator = new Validator(schema, "2020-12");
	const usually = (text: typeof anyText) =>
		fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: anyText });
	const member = (names: string[], text: typeof anyText) =>
		fc
			.tuple(fc.constantFrom(...names), text)
			.map(([name, value]) => ` "${name}" : ${value}`);
	const object = fc
		.tuple(
			member(["id", "\\u0069d"], usually(integerText)),
			member(["name", "n\\u0061me"], usually(stringText)),
			member(["tag"], usually(stringText)),
			member(["id", "x", "__proto__"], anyText),
			member(
				["x"],
				anyText.map((text) => `[{"id":${text}}]`),
			),
		)
		.chain((members) => fc.shuffledSubarray(members, { minLength: 3 }))
		.map((members) => `{${members.join()}}`);
	const body = fc.oneof(
		{ weight: 9, arbitrary: object },
		{ weight: 1, arbitrary: anyText },
	);

	let accepted = 0;
	await fc.assert(
		fc.asyncProperty(body, async (body) => {
			const plant = JSON.parse(body);
			const source = sourceOfId(body);
			const id =
				source === undefined || typeof plant.id !== "number"
					? undefined
					: exactInt64(source);
			const valid =
				id !== undefined && validator.validate({ ...plant, id: 1 }).valid;

			const res = await post(body);
			if (valid) {
				accepted++;
				const { name, tag } = plant;
				expect(res.status).toBe(200);
				expect(await stored()).toEqual({
					[`${id}`]: JSON.stringify({ name, tag }),
				});
				await env.PLANTS.delete(`${id}`);
			} else {
				expect(res.status).toBe(400);
				expect(await res.json()).toMatchObject({ error: 422 });
				expect(await stored()).toEqual({});
			}
		}),
		{ numRuns: 600 },
	);
	// Otherwise the generator is wrong.
	expect(accepted).toBeGreaterThan(100);
});

it("accepts no body that is not UTF-8 and no other media type (property)", async () => {
	const plant = [
		...new TextEncoder().encode('{"id":1,"name":"Fïcus","tag":"\\ud800"}'),
	];
	const bytes = fc.oneof(
		fc.uint8Array({ maxLength: 200 }),
		fc
			.tuple(fc.nat(plant.length), fc.nat(3), fc.uint8Array({ maxLength: 3 }))
			.map(([start, removed, added]) =>
				Uint8Array.from(plant.toSpliced(start, removed, ...added)),
			),
	);
	const type = fc.oneof(
		fc.constantFrom("application/json", "application/json;charset=latin1"),
		fc.string(),
		fc.string().map((parameters) => `application/json${parameters}`),
	);
	await fc.assert(
		fc.asyncProperty(bytes, type, async (body, type) => {
			const { status } = await post(body, { "Content-Type": type });
			expect([200, 400]).toContain(status);
			if (status === 400) return;
			const text = new TextDecoder("utf-8", {
				fatal: false,
				ignoreBOM: true,
			}).decode(body);
			expect(new TextEncoder().encode(text)).toEqual(body);
			expect(type.split(";")[0]?.trim().toLowerCase()).toBe("application/json");
		}),
		{ numRuns: 200 },
	);
});

it("returns 401 for every Authorization header except the right one (property)", async () => {
	const right = "Bearer test-token";
	const authorization = fc
		.oneof(
			fc.string(),
			fc.string().map((token) => `Bearer ${token}`),
			fc
				.tuple(fc.nat(right.length), fc.nat(2), fc.string({ maxLength: 2 }))
				.map(([start, removed, added]) =>
					[...right].toSpliced(start, removed, added).join(""),
				),
		)
		.filter((value) => !/^bearer +test-token$/i.test(value.trim()));
	await fc.assert(
		fc.asyncProperty(authorization, async (Authorization) => {
			const res = await post('{"id":1,"name":""}', { Authorization });
			expect(res.status).toBe(401);
		}),
		{ numRuns: 200 },
	);
	expect(await stored()).toEqual({});
});
