// What a request must not change for the others of its isolate.
import { expect, inject, it, vi } from "vitest";
import { chunked, plant, post, stored } from "./request";

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	anyOf?: Schema[];
}

/**
 * A value with each object and array in the schema, and nothing else. Of a union, the first option.
 * For NewPlant, it is {}: so far, no member has an object or an array.
 */
function nested(schema: Schema = {}): unknown {
	const { type, properties = {}, items } = schema.anyOf?.[0] ?? schema;
	if (type === "array") return [nested(items)].filter((item) => item);
	if (type !== "object") return undefined;
	return Object.fromEntries(
		Object.entries(properties).map(([name, member]) => [name, nested(member)]),
	);
}

it.each([
	["charCodeAt", String.prototype],
	["push", Array.prototype],
	["exec", RegExp.prototype],
	["defineProperty", Object],
])(
	"returns 200 after the first request ended in %s",
	async (name, prototype) => {
		vi.spyOn(console, "error").mockReturnValue();
		const { NewPlant } = inject("document").components.schemas;
		const members = nested(NewPlant as Schema);
		const withNested = JSON.stringify({ ...Object(members), id: 3, name: "3" });
		const expected = await (await post(withNested)).text();
		const builtIn = Reflect.get(prototype, name);
		// The platform can end a request anywhere: here, in each call of a built-in. The last round is
		// the one with fewer calls than that.
		let ended = true;
		for (let call = 0; ended; call++) {
			ended = false;
			let calls = 0;
			let end: Error | undefined;
			function endRequest(this: unknown, ...args: unknown[]) {
				if (calls++ < call) return builtIn.apply(this, args);
				ended = true;
				end ??= new Error(`after a request ended in call ${call}`);
				// The platform runs no catch block. Here, that of Zod runs: it must not delete the property.
				if (name === "defineProperty") {
					const locked = { ...Object(args[2]), configurable: false };
					builtIn(args[0], args[1], locked);
				}
				throw end;
			}
			// A new isolate has new modules.
			vi.resetModules();
			const isolate = await import("./request");
			Reflect.set(prototype, name, endRequest);
			await isolate
				.post('{"x":["",1,"",2,""],"id":1e3,"name":"1"}')
				.catch(() => {});
			await isolate.post(withNested).catch(() => {});
			Reflect.set(prototype, name, builtIn);

			// An odd number beyond 2^53, which JSON.parse rounds.
			const id = `${9007199254740993n + 2n * BigInt(call)}`;
			const res = await isolate.post(`{"id":${id},"name":"2","x":{"id":1.5}}`);
			expect(await res.text(), end?.stack).toBe('{"name":"2"}');
			expect(await stored()).toHaveProperty(id, '{"name":"2"}');
			const text = await (await isolate.post(withNested)).text();
			const remedy =
				"in src/plant.ts, give an example with each of its objects";
			expect(text, `${remedy}: ${end?.stack}`).toBe(expected);
		}
	},
);

it("keeps two requests at the same time apart", async () => {
	const plants = {
		"9007199254740993": JSON.stringify({ name: "one".repeat(200_000) }),
		"9007199254740995": JSON.stringify({ name: "two".repeat(200_000) }),
	};
	const responses = await Promise.all(
		Object.entries(plants).map(async ([id, plant]) => {
			const res = await post(chunked([`{"id":${id},`, plant.slice(1)]));
			return [id, await res.text()];
		}),
	);
	expect(Object.fromEntries(responses)).toEqual(plants);
	expect(await stored()).toEqual(plants);
});

it("returns 200 after a body that ended within a character", async () => {
	const body = await new Blob([plant, new Uint8Array([0xc3])]).arrayBuffer();
	expect((await post(body)).status).toBe(400);
	expect((await post(plant)).status).toBe(200);
});

it("compares the token with the secret that it has now", async () => {
	for (const secret of ["one", "two"]) {
		for (const token of ["one", "two"]) {
			const headers = { Authorization: `Bearer ${token}` };
			const res = await post(plant, headers, { ACCESS_TOKEN: secret });
			expect(res.status).toBe(token === secret ? 200 : 401);
		}
	}
});
