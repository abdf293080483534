import { env } from "cloudflare:workers";
import { beforeEach, expect, it, type MockInstance, vi } from "vitest";
import { expectRefused, expectStored } from "./service";

const body = '{"id":9007199254740993,"name":"secret name"}';
const headers = { "CF-Ray": "8f2a-PRG" };

const withPut = (put: () => Promise<void>) => ({
	PLANTS: { put } as unknown as KVNamespace,
});

let log: MockInstance<typeof console.error>;
beforeEach(() => {
	log = vi.spyOn(console, "error").mockReturnValue();
	return () => log.mockRestore();
});

const lines = (): unknown[] => log.mock.calls.map(([line]) => JSON.parse(line));

it.each([
	[
		"an Error",
		new Error("KV PUT failed: 429 Too Many Requests"),
		"KV PUT failed: 429 Too Many Requests",
	],
	["something else", "down", "down"],
])(
	"a store that fails with %s is answered with 503 and logged as one line",
	async (_, fault, message) => {
		const sent = { body, headers, env: withPut(() => Promise.reject(fault)) };
		const answer = await expectRefused(
			sent,
			503,
			503,
			/send the same request again/,
		);
		expect(answer.headers.get("Retry-After")).toBe("1");
		expect(lines()).toEqual([
			{
				event: "store_failed",
				ray: "8f2a-PRG",
				id: "9007199254740993",
				error: { name: "Error", message },
			},
		]);
	},
);

it("a create that the store failed may be repeated", async () => {
	const put = () => Promise.reject(new Error("once"));
	await expectRefused({ body, env: withPut(put) }, 503, 503, /again/);
	await expectStored({ body }, "9007199254740993", { name: "secret name" });
});

it("anything unforeseen is answered with 500, without internals, and logged as one line", async () => {
	const sent = { body, headers, env: { PLANTS: undefined } };
	const message =
		"The service failed; the fault is not in the request. Try again later.";
	await expectRefused(sent, 500, 500, message);
	const error = {
		name: "TypeError",
		message: expect.stringContaining("undefined"),
		stack: expect.stringContaining("storePlant"),
	};
	expect(lines()).toEqual([{ event: "unforeseen", ray: "8f2a-PRG", error }]);
});

it("no log line has the token or the body in it", async () => {
	await expectRefused(
		{ body, env: withPut(() => Promise.reject("down")) },
		503,
		503,
		/again/,
	);
	await expectRefused({ body, env: { PLANTS: undefined } }, 500, 500, /later/);
	expect(lines()).toHaveLength(2);
	expect(JSON.stringify(lines())).not.toMatch(
		new RegExp(`secret name|${env.ACCESS_TOKEN}`),
	);
});

it("a client's mistake is not logged", async () => {
	await expectRefused({ body: "{" }, 400, 400, /./);
	await expectRefused({ body: "{}" }, 400, 422, /./);
	await expectRefused({ headers: { Authorization: null } }, 401, 401, /./);
	await expectRefused({ path: "/nowhere" }, 404, 404, /./);
	expect(lines()).toEqual([]);
});
