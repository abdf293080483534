import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
	failingKv,
	members,
	newPlant,
	parseLog,
	post,
	send,
	stored,
	withPut,
} from "./request";

const plant = newPlant("9007199254740993");
const headers = { Authorization: "Bearer test-token", "CF-Ray": "8f2a-PRG" };

let lines: unknown[];
beforeEach(() => {
	lines = [];
	vi.spyOn(console, "error").mockImplementation((...args) => {
		lines.push(...parseLog(args));
	});
});

describe("when KV fails", () => {
	const message = "429 Too Many Requests";

	it.each([
		["an error", new Error(message)],
		["a string", message],
	])("returns 503 after one write, and logs %s", async (_, error) => {
		const put = vi.fn(() => Promise.reject(error));
		const res = await post(plant, {}, withPut(put));
		expect(res.status).toBe(503);
		// A second write could replace a newer plant.
		expect(put).toHaveBeenCalledTimes(1);
		expect(lines).toMatchObject([
			{
				event: "store_failed",
				ray: "8f2a-PRG",
				id: "9007199254740993",
				error: { name: "Error", message, stack: expect.any(String) },
			},
		]);
	});

	it.each([
		["KV put() limit exceeded for the day.", 3600, 3660],
		["KV PUT failed: 429 Too Many Requests", 1, 60],
		["Network connection lost.", 1, 60],
	])(
		"returns Retry-After at 23:00 UTC after %j: %d to %d seconds",
		async (message, least, most) => {
			// Rounded down, the last second of the day would have no Retry-After.
			const now = Date.UTC(2026, 0, 1, 23, 0, 0, 1);
			vi.useFakeTimers({ toFake: ["Date"], now });
			onTestFinished(() => void vi.useRealTimers());
			const put = () => Promise.reject(new Error(message));
			const res = await post(plant, {}, withPut(put));
			const seconds = Number(res.headers.get("Retry-After"));
			expect(seconds).toBeGreaterThanOrEqual(least);
			expect(seconds).toBeLessThanOrEqual(most);
		},
	);

	it("logs no token, no name and no tag", async () => {
		const plant = `{"id":1,${members},"name":"axolotl","tag":"capybara"}`;
		const authorization = { Authorization: "Bearer quokka" };
		await post(plant, authorization, { ACCESS_TOKEN: "quokka", ...failingKv });
		expect(lines).toMatchObject([{ event: "store_failed" }]);
		// A client may send its token in the query, so the log has no URL.
		const secrets = /quokka|axolotl|capybara|plants.example.com/;
		expect(JSON.stringify(lines)).not.toMatch(secrets);
	});
});

it("returns 500 without internals and logs the stack of an unexpected error", async () => {
	const get = (bindings: Env, name: string) => {
		if (name === "ACCESS_TOKEN") throw new RangeError("a bug");
		return Reflect.get(bindings, name);
	};
	const init = { method: "POST", headers };
	const res = await send("/plants", init, new Proxy(env, { get }));
	expect(res.status).toBe(500);
	const message = expect.not.stringContaining("a bug");
	expect(await res.json()).toMatchObject({ error: 500, message });
	const stack = expect.stringContaining("errors.test.ts");
	expect(lines).toMatchObject([
		{
			event: "unforeseen",
			error: { name: "RangeError", message: "a bug", stack },
		},
	]);
});

it("logs the error itself, too, in local development", async () => {
	const log = vi.spyOn(console, "error").mockReturnValue();
	const error = new Error("KV is down");
	const bindings = withPut(() => Promise.reject(error));
	await post(plant, { "CF-Ray": undefined }, bindings);
	const [line = [], ...others] = log.mock.calls;
	expect(parseLog(line)).toMatchObject([{ event: "store_failed" }]);
	expect(others).toEqual([[error]]);
});

it.each([
	["GET", "/plants/1"],
	["POST", "/plants/"],
	["POST", "/other"],
	["POST", "/Plants"],
	["POST", "/%70lants"],
	["POST", "/plants%2F"],
	["POST", "//plants"],
	["POST", "/%"],
])("returns 404 for %s %s", async (method, path) => {
	const url = `http://localhost${path}`;
	const res = await send(url, { method, headers });
	expect(res.status).toBe(404);
	expect(res.headers.get("Content-Type")).toBe("application/json");
	const message = expect.stringMatching(/./);
	expect(await res.json()).toMatchObject({ error: 404, message });
	expect(lines).toEqual([]);
});

it("ignores the query", async () => {
	const init = {
		method: "POST",
		headers: { ...headers, "Content-Type": "application/json" },
		body: plant,
	};
	const res = await send("/plants?id=2", init);
	expect(res.status).toBe(200);
	expect(Object.keys(await stored())).toEqual(["9007199254740993"]);
});

it.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
	"returns 405 for %s /plants",
	async (method) => {
		const res = await send("/plants", { method, headers });
		expect(res.status).toBe(405);
		expect(res.headers.get("Allow")).toBe("POST");
		expect(res.headers.get("Content-Type")).toBe("application/json");
		const body = { error: 405, message: expect.stringMatching(/./) };
		const text = await res.text();
		if (method === "HEAD") expect(text).toBe("");
		else expect(JSON.parse(text)).toEqual(body);
		expect(lines).toEqual([]);
	},
);
