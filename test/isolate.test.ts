// An isolate serves many requests. What it keeps of one must not change the response to another.
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { chunked, plant, post, stored, withPut } from "./request";

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

it("returns 200 while other requests wait for ever, for their body or for KV", async () => {
	const wait = vi.fn(() => new Promise<void>(() => {}));
	void post(new ReadableStream({ type: "bytes", pull: wait }));
	void post(plant, {}, withPut(wait));
	expect((await post(plant)).status).toBe(200);
	await vi.waitFor(() => expect(wait).toHaveBeenCalledTimes(2));
});

/** Loads the app, Hono and Zod again, as a new isolate does. Returns a function that sends a body. */
async function newIsolate() {
	vi.resetModules();
	const { default: app } = await import("../src/app");
	const headers = {
		Authorization: "Bearer test-token",
		"Content-Type": "application/json",
	};
	return async (body: string) =>
		app.request("/plants", { method: "POST", headers, body }, env);
}

// The platform can end a request between any two statements, and the isolate lives on. So a request
// must not build what later requests use. Hono builds its router at its first match, and Zod parts of
// a schema at its first parse. Both then call these functions.
it.each(["create", "keys"] as const)(
	"builds nothing in the first request: Object.%s is called as often as in the second",
	async (name) => {
		const send = await newIsolate();
		const spy = vi.spyOn(Object, name);
		expect((await send(plant)).status).toBe(200);
		const calls = spy.mock.calls.length;
		spy.mockClear();
		expect((await send(plant)).status).toBe(200);
		expect(calls).toBe(spy.mock.calls.length);
	},
);

/** Ends a request in its first loop over the matches of a RegExp: at the second match. */
function endInLoop(send: () => Promise<Response>) {
	vi.spyOn(console, "error").mockReturnValue();
	const { exec } = RegExp.prototype;
	let matches = 0;
	const spy = vi.spyOn(RegExp.prototype, "exec");
	spy.mockImplementation(function (this: RegExp, text) {
		const match = exec.call(this, text);
		if (this.global && ++matches === 2) throw new Error("the request ended");
		return match;
	});
	return send().finally(() => spy.mockRestore());
}

it.each([
	["parsed the secret", []],
	["searched for the id", [plant]],
])("creates a plant after a request ended while it %s", async (_, before) => {
	const send = await newIsolate();
	for (const body of before) await send(body);
	// With 1.5 in the body, src/exact-id.ts searches for the id.
	const ended = await endInLoop(() => send('{"id":1,"name":"1.5"}'));
	expect(ended.status).toBe(500);

	// A search that begins at an old lastIndex misses this id, or finds that of x.
	const id = "9007199254740993";
	const res = await send(`{"id":${id},"name":"Ficus","x":{"id":2}}`);
	expect(await res.text()).toBe('{"name":"Ficus"}');
	expect(await stored()).toHaveProperty(id);
});
