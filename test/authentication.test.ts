import { describe, expect, it, vi } from "vitest";
import { overHttp, parseLog, plant, post, send, stored } from "./request";

it.each(["Bearer", "bearer", "BEARER", "Bearer "])(
	"authenticates a client with the scheme %j",
	async (scheme) => {
		const res = await post(plant, { Authorization: `${scheme} test-token` });
		expect(res.status).toBe(200);
	},
);

it.each([
	["GET", "/plants"],
	["HEAD", "/plants"],
	["POST", "/plants"],
	["OPTIONS", "/plants"],
	["POST", "/plants?access_token=test-token"],
	["GET", "/favicon.ico"],
])("returns 401 for %s %s without a token", async (method, path) => {
	const headers = {
		Cookie: "ACCESS_TOKEN=test-token; token=test-token",
		"Proxy-Authorization": "Bearer test-token",
		"X-API-Key": "test-token",
	};
	const res = await send(path, { method, headers });
	expect(res.status).toBe(401);
	expect(res.headers.get("WWW-Authenticate")).toBe('Bearer realm="plants"');
	const body = method === "HEAD" ? /^$/ : /^{"error":401,"message":".+"}$/;
	expect(await res.text()).toMatch(body);
});

it.each([
	["is empty", ""],
	["has the scheme alone", "Bearer"],
	["has the token alone", "test-token"],
	["has the scheme Token", "Token test-token"],
	["has another scheme", `Basic ${btoa("user:test-token")}`],
	["has another scheme before it", "Basic x Bearer test-token"],
	["has no space after the scheme", "Bearertest-token"],
	["has a tab after the scheme", "Bearer\ttest-token"],
])("returns 401 when the header %s", async (_, Authorization) => {
	const res = await post(plant, { Authorization });
	expect(res.status).toBe(401);
	expect(res.headers.get("WWW-Authenticate")).toBe('Bearer realm="plants"');
	expect(await stored()).toEqual({});
});

it.each([
	["is wrong and has the right length", "test-tokex"],
	["is too short", "test-toke"],
	["is too long", "test-tokenx"],
	["is in upper case", "TEST-TOKEN"],
	["has a second Bearer", "Bearer test-token"],
	["is percent-encoded", "test%2Dtoken"],
	["is followed by another", "test-token test-token"],
	["is followed by a form feed", "test-token\f"],
	["is sent in two headers", "test-token, Bearer test-token"],
	["has 64 KiB", "x".repeat(65_536)],
	["has a line separator", "\u2028"],
	["has a paragraph separator", "test-token\u2029"],
])("returns 401 when the token %s", async (_, token) => {
	const res = await post(plant, { Authorization: `Bearer ${token}` });
	expect(res.status).toBe(401);
	expect(res.headers.get("WWW-Authenticate")).toBe(
		'Bearer realm="plants", error="invalid_token"',
	);
	expect(await res.json()).toMatchObject({ error: 401 });
	expect(await stored()).toEqual({});
});

it("says what is wrong with the header Authorization, without a part of it", async () => {
	const messages = new Set<string>();
	for (const Authorization of [
		undefined,
		"Basic quokka",
		'Bearer "quokka"',
		"Bearer quokka",
	]) {
		const res = await post(plant, { Authorization });
		const { message } = await res.json<{ message: string }>();
		expect(message).not.toContain("quokka");
		messages.add(message);
	}
	expect(messages.size).toBe(4);
});

it.each(['{"scheme":"http"}', '{ "scheme" : "http"}'])(
	"returns 403 with any token when CF-Visitor is %s",
	async (visitor) => {
		for (const Authorization of ["Bearer test-token", "Bearer x", ""]) {
			const res = await post(plant, { Authorization, "CF-Visitor": visitor });
			expect(res.status).toBe(403);
			expect(await res.json()).toMatchObject({ error: 403 });
		}
		expect(await stored()).toEqual({});
	},
);

it("returns 200 when CF-Visitor is https", async () => {
	const res = await post(plant, { "CF-Visitor": '{ "scheme":"https"}' });
	expect(res.status).toBe(200);
});

describe("the comparison", () => {
	it("compares each token of the secret once and as a whole, whatever the token is", async () => {
		// A digest may be longer.
		const atLeast = (length: number) =>
			expect.toSatisfy((bytes: number) => bytes >= length);
		const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
		for (const token of ["one", "seven", "odd", "longer", "x"]) {
			const headers = { Authorization: `Bearer ${token}` };
			await post(plant, headers, { ACCESS_TOKEN: "one two seven" });
			const lengths = compare.mock.calls.map(([bytes]) => bytes.byteLength);
			expect(lengths.toSorted((a, b) => a - b)).toEqual([3, 3, 5].map(atLeast));
			compare.mockClear();
		}
	});

	it("returns 401 when timingSafeEqual returns false", async () => {
		vi.spyOn(crypto.subtle, "timingSafeEqual").mockReturnValue(false);
		expect((await post(plant)).status).toBe(401);
	});
});

describe("ACCESS_TOKEN", () => {
	it.each([
		["aZ09-._~+/==", "aZ09-._~+/==", 200],
		[" \n one\r\n\ttwo\v\f\u00a0", "one", 200],
		[" \n one\r\n\ttwo\v\f\u00a0", "two", 200],
		["one one", "one", 200],
		[Array.from({ length: 99 }, (_, i) => `n${i}`).join(" "), "n98", 200],
		["one two", "three", 401],
		["one two", "one two", 401],
		["one two", "onetwo", 401],
		["x".repeat(100), "x".repeat(100), 200],
		[`${"x".repeat(100)}1`, `${"x".repeat(100)}2`, 401],
	])(
		"when it is %j, a request with the token %j returns %d",
		async (secret, token, status) => {
			const headers = { Authorization: `Bearer ${token}` };
			const res = await post(plant, headers, { ACCESS_TOKEN: secret });
			expect(res.status).toBe(status);
		},
	);

	it("may have dev-token in local development, and not behind Cloudflare", async () => {
		vi.spyOn(console, "error").mockReturnValue();
		const Authorization = "Bearer dev-token";
		const secret = { ACCESS_TOKEN: "dev-token" };
		const local = { Authorization, "CF-Ray": undefined };
		for (let i = 0; i < 2; i++) {
			expect((await post(plant, local, secret)).status).toBe(200);
			expect((await post(plant, { Authorization }, secret)).status).toBe(500);
		}
	});

	it("counts at once when it changes", async () => {
		for (const secret of ["one", "two"]) {
			for (const token of ["one", "two"]) {
				const headers = { Authorization: `Bearer ${token}` };
				const res = await post(plant, headers, { ACCESS_TOKEN: secret });
				expect(res.status).toBe(token === secret ? 200 : 401);
			}
		}
	});

	it.each([
		["missing", undefined, ".dev.vars"],
		["blank", " \t\n", ".dev.vars"],
		["malformed", "qqqqqq,qqqqqq", "entry 1"],
		["malformed", "qqqqqq qqqqqq qqqqqq=2", "entry 3"],
		["only padding", "==", "entry 1"],
		[
			"dev-token, behind Cloudflare",
			"qqqqqq dev-token",
			"dev-token.+.dev.vars",
		],
	])(
		"returns 500 with any token, and logs why, when it is %s: %j",
		async (_, ACCESS_TOKEN, why) => {
			const log = vi.spyOn(console, "error").mockReturnValue();
			for (const token of ["", "undefined", ACCESS_TOKEN]) {
				const headers = { Authorization: `Bearer ${token}`, ...overHttp };
				const res = await post(plant, headers, { ACCESS_TOKEN });
				expect(res.status).toBe(500);
				expect(await res.json()).toMatchObject({ error: 500 });
				expect(log).toHaveBeenCalledOnce();
				const lines = parseLog(log.mock.lastCall ?? []);
				const error = { message: expect.stringMatching(why) };
				expect(lines).toMatchObject([
					{ event: "access_token_unusable", error },
				]);
				// Not even a part of an entry.
				expect(JSON.stringify(lines)).not.toContain("qq");
				log.mockClear();
				expect(await stored()).toEqual({});
			}
		},
	);
});
