// One request must not change the response to another in the same isolate.
import { expect, it, vi } from "vitest";
import { MAX_BODY_BYTES } from "../src/body";
import { exampleOf, Plant } from "../src/plant";
import { chunked, plant, post, stored, withPut } from "./request";

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
