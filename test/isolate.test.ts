// One request must not change the response to another in the same isolate.
import { env } from "cloudflare:workers";
import { expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { chunked, plant, post, stored, withPut } from "./request";

it("keeps two requests at the same time apart", async () => {
	// Each body is below the limit. Both together are above it.
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

it("returns 200 while one request waits for its body, and another for KV", async () => {
	const wait = vi.fn(() => new Promise<void>(() => {}));
	void post(new ReadableStream({ type: "bytes", pull: wait }));
	void post(plant, {}, withPut(wait));
	expect((await post(plant)).status).toBe(200);
	const calls = () => wait.mock.calls.length;
	await expect.poll(calls, { timeout: 30_000 }).toBe(2);
});

// The platform can end a request between any two statements, and the isolate lives on. So a request
// must not build what later requests use. Hono builds its router at the first match. Zod builds parts
// of a schema at the first parse. Both call Object.keys when they build.
it("builds no router and no schema in the first request", async () => {
	// Loads the app, Hono and Zod again, as a new isolate does.
	vi.resetModules();
	const { default: app } = await import("../src/app");
	const headers = {
		Authorization: "Bearer test-token",
		"Content-Type": "application/json",
	};
	const send = () =>
		app.request("/plants", { method: "POST", headers, body: plant }, env);
	const keys = vi.spyOn(Object, "keys");
	expect((await send()).status).toBe(200);
	const calls = keys.mock.calls.length;
	keys.mockClear();
	expect((await send()).status).toBe(200);
	expect(calls, "build it when its module is loaded").toBe(
		keys.mock.calls.length,
	);
});
