// What an isolate keeps when a request ends must not change the responses to later requests. The
// platform can end a request between any two statements. These tests end it after a call of a built-in,
// which then throws. Unlike on the platform, catch and finally blocks run.
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { document } from "../src/openapi";
import { chunked, plant, post, stored, withPut } from "./request";

/**
 * Loads the app, Hono and Zod again, as a new isolate does. Returns a function that sends a body to
 * this app, and returns the body of the response.
 */
async function newIsolate() {
	vi.resetModules();
	const { default: app } = await import("../src/app");
	return async (body: string) => {
		const headers = {
			Authorization: "Bearer test-token",
			"Content-Type": "application/json",
		};
		const init = { method: "POST", headers, body };
		return (await app.request("/plants", init, env)).text();
	};
}

/**
 * Sends a request that ends after call `n` of a built-in. Returns the stack of this call, or
 * undefined when the request has fewer calls.
 */
async function endAfterCall(
	n: number,
	{ object, name }: { object: object; name: string },
	send: () => Promise<unknown>,
) {
	const builtIn = Reflect.get(object, name);
	let calls = 0;
	let end: Error | undefined;
	// Not vi.spyOn, which calls some of these built-ins itself.
	Reflect.set(object, name, function (this: unknown, ...args: unknown[]) {
		const result = builtIn.apply(this, args);
		if (++calls !== n) return result;
		end = new Error(`the first request ended after call ${n} of ${name}`);
		throw end;
	});
	try {
		await send();
	} catch (error) {
		// Hono catches what a middleware throws, but not what its router throws.
		if (error !== end) throw error;
	} finally {
		Reflect.set(object, name, builtIn);
	}
	return end?.stack;
}

it.each([
	// Hono calls it at the first match of a route, which src/app.ts does when it is loaded.
	{ object: Array.prototype, name: "push", user: "Hono's router" },
	// Zod calls it at the first parse, which src/plant.ts does when it is loaded.
	{ object: Object, name: "defineProperty", user: "a Zod schema" },
	// test() and match() call it. With the flag g, it sets a lastIndex, which a later call begins at.
	{ object: RegExp.prototype, name: "exec", user: "a search" },
])(
	"creates a plant after a request ended in $name, which $user calls",
	async (builtIn) => {
		vi.spyOn(console, "error").mockReturnValue();
		let endedAt: string | undefined;
		let n = 0;
		do {
			const send = await newIsolate();
			// With 1.5 in the body, src/exact-id.ts searches for the id.
			const first = () => send('{"id":1,"name":"1.5"}');
			endedAt = await endAfterCall(++n, builtIn, first);

			// A search that begins at an old lastIndex misses this id, or finds that of x.
			const id = "9007199254740993";
			const text = await send(`{"id":${id},"name":"${n}","x":{"id":2}}`);
			expect(text, endedAt).toBe(`{"name":"${n}"}`);
			expect(await stored()).toHaveProperty(id, text);
		} while (endedAt); // The last request had fewer than n calls.
	},
);

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	anyOf?: Schema[];
	oneOf?: Schema[];
}

/**
 * Makes a value for a JSON Schema: with the objects and arrays in it, but without strings and numbers.
 * Of a union, it takes the first option. For Plant with an object soil, it makes { soil: {} }.
 */
function nestedObjects(schema: Schema = {}): unknown {
	const [option = schema] = schema.anyOf ?? schema.oneOf ?? [];
	const { type, properties = {}, items } = option;
	if (type === "array") return [nestedObjects(items)].filter((item) => item);
	if (type !== "object") return undefined;
	return Object.fromEntries(
		Object.entries(properties).map(([name, member]) => [
			name,
			nestedObjects(member),
		]),
	);
}

// Zod builds parts of a nested schema when it first parses a nested object. So far, NewPlant has no
// nested object.
it("returns the same response for nested objects after a request ended in a Zod schema", async () => {
	vi.spyOn(console, "error").mockReturnValue();
	const members = nestedObjects(document.components.schemas.NewPlant as Schema);
	const body = JSON.stringify({ ...(members as object), id: 1, name: "1" });
	const expected = await (await post(body)).text();
	let endedAt: string | undefined;
	let n = 0;
	do {
		const send = await newIsolate();
		const builtIn = { object: Object, name: "defineProperty" };
		endedAt = await endAfterCall(++n, builtIn, () => send(body));

		const remedy =
			"in src/plant.ts, add each object of a member to its example";
		expect(await send(body), `${remedy}: ${endedAt}`).toBe(expected);
	} while (endedAt);
});

it("returns 200 while other requests wait for ever, for their body or for KV", async () => {
	const wait = vi.fn(() => new Promise<void>(() => {}));
	void post(new ReadableStream({ type: "bytes", pull: wait }));
	void post(plant, {}, withPut(wait));
	expect((await post(plant)).status).toBe(200);
	await vi.waitFor(() => expect(wait).toHaveBeenCalledTimes(2));
});

it("keeps two requests at the same time apart", async () => {
	const plants = {
		"9007199254740993": JSON.stringify({
			name: "1".repeat(MAX_BODY_BYTES / 2),
		}),
		"9007199254740995": JSON.stringify({
			name: "2".repeat(MAX_BODY_BYTES / 2),
		}),
	};
	const responses = await Promise.all(
		Object.entries(plants).map(async ([id, json]) => {
			const res = await post(chunked([`{"id":${id},`, json.slice(1)]));
			return [id, await res.text()];
		}),
	);
	expect(Object.fromEntries(responses)).toEqual(plants);
	expect(await stored()).toEqual(plants);
});

// With { stream: true }, a TextDecoder of the module would keep the byte for the next request.
it("returns 200 after a body that ended within a character", async () => {
	const body = await new Blob([plant, new Uint8Array([0xc3])]).arrayBuffer();
	expect((await post(body)).status).toBe(400);
	expect((await post(plant)).status).toBe(200);
});

it("compares the token with the current secret", async () => {
	for (const secret of ["one", "two"]) {
		for (const token of ["one", "two"]) {
			const headers = { Authorization: `Bearer ${token}` };
			const res = await post(plant, headers, { ACCESS_TOKEN: secret });
			expect(res.status).toBe(token === secret ? 200 : 401);
		}
	}
});
