// One request must not change the response to another in the same isolate.
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { exampleOf, Plant } from "../src/plant";
import { chunked, plant, post, send, stored, value, withPut } from "./request";

it("keeps two requests at the same time apart", async () => {
	// Each body is below the limit. Both together are above it.
	const large = (digit: string) =>
		JSON.stringify({
			...exampleOf(Plant),
			name: digit.repeat(MAX_BODY_BYTES / 2),
		});
	const plants = {
		"9007199254740993": large("1"),
		"9007199254740995": large("2"),
	};
	const responses = await Promise.all(
		Object.entries(plants).map(async ([id, json]) => {
			const res = await post(chunked([`{"id":${id},`, json.slice(1)]));
			return [id, await res.text()];
		}),
	);
	// So that a failure fits on a screen.
	const shorten = (value: object) =>
		JSON.stringify(value).replace(
			/(\d)\1{9,}/g,
			(run) => `${run.length} digits ${run[0]}`,
		);
	expect(shorten(Object.fromEntries(responses))).toBe(shorten(plants));
	expect(shorten(await stored())).toBe(shorten(plants));
});

it("returns 200 while one request waits for its body, and another for KV", async () => {
	const wait = vi.fn(() => new Promise<void>(() => {}));
	void post(new ReadableStream({ type: "bytes", pull: wait }));
	void post(plant, {}, withPut(wait));
	expect((await post(plant)).status).toBe(200);
	const calls = () => wait.mock.calls.length;
	await expect.poll(calls).toBe(2);
});

// The platform can end a request between any two statements, and the isolate stays in use (workerd#7276:
// https://github.com/cloudflare/workerd/issues/7276). Here, a request ends after the n-th call of a
// function that Hono calls to build its router, or Zod to build a schema.
it.each([
	["Array.prototype", "push", Array.prototype],
	["Object", "defineProperty", Object],
])(
	"returns the same responses after the first request ended in %s.%s",
	async (_, name, object) => {
		vi.spyOn(console, "error").mockReturnValue();
		const method = "POST";
		const headers = {
			Authorization: "Bearer shop-token",
			"Content-Type": "application/json",
		};
		// Without strings and numbers, each optional member is missing, also in an object of a member.
		const objects = JSON.stringify(exampleOf(Plant), (_, member) =>
			member instanceof Object ? member : undefined,
		);
		const expected = [value, await (await post(objects)).text()];
		// Without KV, the test runner does nothing until the response.
		const secrets = { ACCESS_TOKEN_FOR_SHOP: "shop-token" };
		const bindings = { ...env, ...secrets, ...withPut(async () => {}) };
		const builtIn = Reflect.get(object, name);
		let n = 0;
		let calls: number;
		do {
			n++;
			calls = 0;
			vi.resetModules(); // A new isolate loads all modules.
			const { default: app } = await import("../src/app");
			const text = async (body: string) => {
				const init = { method, headers, body };
				return (await send("/plants", init, bindings, app)).text();
			};
			Reflect.set(object, name, function (this: unknown, ...args: unknown[]) {
				const result = builtIn.apply(this, args);
				if (++calls !== n) return result;
				throw new Error("The request ended.");
			});
			await text(plant).catch(() => {});
			Reflect.set(object, name, builtIn);
			const texts = [await text(plant), await text(objects)];
			expect(texts, `call ${n}`).toEqual(expected);
		} while (calls >= n); // The last request was not ended.
	},
);
