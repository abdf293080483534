import { env } from "cloudflare:workers";
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
	const body = { error: 401, message: expect.stringMatching(/./) };
	const text = await res.text();
	if (method === "HEAD") expect(text).toBe("");
	else expect(JSON.parse(text)).toEqual(body);
});

it.each([
	["is empty", ""],
	["has only the scheme", "Bearer"],
	["has only the token", "test-token"],
	["has the scheme Token", "Token test-token"],
	["has a different scheme", `Basic ${btoa("user:test-token")}`],
	["has a different scheme before it", "Basic x Bearer test-token"],
	["has no space after the scheme", "Bearertest-token"],
	["has a tab after the scheme", "Bearer\ttest-token"],
	["has only a form feed after the scheme", "Bearer \f"],
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
	["is followed by a second token", "test-token test-token"],
	["is sent in two headers", "test-token, Bearer test-token"],
	["has 64 KiB", "x".repeat(65_536)],
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

it("says that the header Authorization has a second Bearer", async () => {
	const res = await post(plant, { Authorization: "Bearer Bearer test-token" });
	const message = expect.stringContaining("second Bearer");
	expect(await res.json()).toMatchObject({ message });
});

it.each(['{"scheme":"http"}', '{ "scheme" : "http"}'])(
	"returns 403 with any token and secret when CF-Visitor is %s",
	async (visitor) => {
		for (const ACCESS_TOKEN of ["test-token", ""]) {
			for (const Authorization of ["Bearer test-token", "Bearer x", ""]) {
				const headers = { Authorization, "CF-Visitor": visitor };
				const res = await post(plant, headers, { ACCESS_TOKEN });
				expect(res.status).toBe(403);
				expect(await res.json()).toMatchObject({ error: 403 });
			}
		}
		expect(await stored()).toEqual({});
	},
);

it.each(["GET", "HEAD", "PUT", "OPTIONS"])(
	"returns 403 for %s when CF-Visitor is http",
	async (method) => {
		for (const path of ["/plants", "/other"]) {
			const res = await send(path, { method, headers: overHttp });
			expect(res.status).toBe(403);
		}
	},
);

it("returns 200 when CF-Visitor is https", async () => {
	const res = await post(plant, { "CF-Visitor": '{ "scheme":"https"}' });
	expect(res.status).toBe(200);
});

describe("the comparison", () => {
	it("compares each token of all secrets once and as a whole, whatever the token is", async () => {
		const secrets = {
			ACCESS_TOKEN: "one",
			ACCESS_TOKEN_FOR_FARM: "two",
			ACCESS_TOKEN_FOR_SHOP: "seven",
		};
		const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
		for (const [token, sameLength] of [
			["one", 2],
			["odd", 2],
			["seven", 1],
			["longer", 0],
			["x", 0],
		] as const) {
			const headers = { Authorization: `Bearer ${token}` };
			await post(plant, headers, secrets);
			expect(compare).toHaveBeenCalledTimes(3);
			// A digest may be longer.
			const whole = compare.mock.calls.filter(
				([bytes]) => bytes.byteLength >= token.length,
			);
			expect(whole.length).toBeGreaterThanOrEqual(sameLength);
			compare.mockClear();
		}
	});

	it("returns 401 when timingSafeEqual returns false", async () => {
		vi.spyOn(crypto.subtle, "timingSafeEqual").mockReturnValue(false);
		expect((await post(plant)).status).toBe(401);
	});
});

describe("a secret", () => {
	it.each([
		["aZ09-._~+/==", "aZ09-._~+/==", 200],
		["one\n", "one", 200],
		["\t one\r\n", "one", 200],
		["one", "two", 401],
		["my-dev-token-2", "my-dev-token-2", 200],
	])(
		"when it is %j, a request with the token %j returns %d",
		async (secret, token, status) => {
			const headers = { Authorization: `Bearer ${token}` };
			for (const name of [
				"ACCESS_TOKEN",
				"ACCESS_TOKEN_FOR_SHOP_2",
				"ACCESS_TOKEN_FOR_my-shop",
			]) {
				const res = await post(plant, headers, { [name]: secret });
				expect(res.status, name).toBe(status);
			}
		},
	);

	it("counts to its last byte when it has 5 KB, the limit of Cloudflare", async () => {
		const start = "x".repeat(5119);
		const secrets = { ACCESS_TOKEN: `${start}1` };
		for (const [end, status] of [
			["1", 200],
			["2", 401],
			["", 401],
		]) {
			const headers = { Authorization: `Bearer ${start}${end}` };
			const res = await post(plant, headers, secrets);
			expect(res.status, `the last byte is ${end}`).toBe(status);
		}
	});

	it("is valid for one client of many", async () => {
		const names = Array.from(
			{ length: 128 },
			(_, i) => `ACCESS_TOKEN_FOR_${i}`,
		);
		const secrets = Object.fromEntries(
			names.map((name) => [name, `t-${name}`]),
		);
		for (const [name, status] of [
			["ACCESS_TOKEN_FOR_0", 200],
			["ACCESS_TOKEN_FOR_127", 200],
			["ACCESS_TOKEN_FOR_128", 401],
		]) {
			const headers = { Authorization: `Bearer t-${name}` };
			expect((await post(plant, headers, secrets)).status).toBe(status);
		}
	});

	it("may have the same token as another secret", async () => {
		const headers = { Authorization: "Bearer one" };
		const secrets = { ACCESS_TOKEN: "one", ACCESS_TOKEN_FOR_SHOP: "one" };
		expect((await post(plant, headers, secrets)).status).toBe(200);
	});

	it.each([
		"ACCESS_TOKEN_TTL",
		"ACCESS_TOKEN_FOR",
		"ACCESS_TOKEN_FOR_",
		"MY_ACCESS_TOKEN_FOR_SHOP",
		"OLD_ACCESS_TOKEN",
		"access_token",
	])("is not read from the binding %s", async (name) => {
		for (const binding of ["quokka", "", "quokka,quokka", 5]) {
			const headers = { Authorization: "Bearer quokka" };
			const res = await post(plant, headers, { [name]: binding });
			expect(res.status).toBe(401);
		}
	});

	it("may be dev-token in local development, and not behind Cloudflare", async () => {
		vi.spyOn(console, "error").mockReturnValue();
		const bindings = { ...env, ACCESS_TOKEN: "dev-token" };
		const Authorization = "Bearer dev-token";
		// The second time, the tokens of the other kind of request may be cached.
		for (let i = 0; i < 2; i++) {
			const local = await send("/", { headers: { Authorization } }, bindings);
			expect(local.status).toBe(404);
			const headers = { Authorization, "CF-Ray": "8f2a-PRG" };
			const deployed = await send("/", { headers }, bindings);
			expect(deployed.status).toBe(500);
		}
	});

	it("counts at once when it changes", async () => {
		for (const name of ["ACCESS_TOKEN", "ACCESS_TOKEN_FOR_SHOP"]) {
			for (const secret of ["one", "two"]) {
				for (const token of ["one", "two"]) {
					const headers = { Authorization: `Bearer ${token}` };
					const res = await post(plant, headers, { [name]: secret });
					expect(res.status).toBe(token === secret ? 200 : 401);
				}
			}
		}
	});
});

describe.each([
	["ACCESS_TOKEN", "ACCESS_TOKEN=<token> into .dev.vars"],
	["ACCESS_TOKEN_FOR_SHOP", "--var ACCESS_TOKEN_FOR_SHOP:<token>"],
])("when %s is unusable", (name, advice) => {
	const other =
		name === "ACCESS_TOKEN" ? "ACCESS_TOKEN_FOR_SHOP" : "ACCESS_TOKEN";

	it.each([
		["blank", " \t\n", /missing/],
		["no string", { qqqqqq: "qqqqqq" }, /missing/],
		["no string", ["qqqqqq"], /missing/],
		["no string", 7777, /missing/],
		["no string", null, /missing/],
		["two tokens", "qqqqqq 7777", /space/],
		["malformed", "qqqqqq,7777", /character/],
		["malformed", "qqqqqq=2", /character/],
		["only padding", "==", /character/],
		["dev-token, behind Cloudflare", " dev-token\n", /dev-token/],
	])(
		"returns 500 with each token that it has, and with none, when it is %s: %j",
		async (_, secret, why) => {
			const log = vi.spyOn(console, "error").mockReturnValue();
			const secrets = { [other]: "valid", [name]: secret };
			const tokens = [secret, "qqqqqq", "7777", "dev-token", "x"];
			const headers = tokens.map((token) => `Bearer ${token}`);
			for (const Authorization of [
				...headers,
				"Basic x",
				"Bearer",
				undefined,
			]) {
				const res = await post(plant, { Authorization }, secrets);
				expect(res.status).toBe(500);
				expect(await res.json()).toMatchObject({ error: 500 });
				expect(log).toHaveBeenCalledOnce();
				const lines = parseLog(log.mock.lastCall ?? []);
				const error = { message: expect.stringMatching(why) };
				expect(lines).toMatchObject([
					{ event: "access_token_unusable", error },
				]);
				const text = JSON.stringify(lines);
				expect(text).toMatch(new RegExp(`\\b${name}\\b`));
				expect(text).not.toMatch(new RegExp(`\\b${other}\\b`));
				// Not even a part of the secret.
				expect(text).not.toContain("qq");
				log.mockClear();
			}
			expect(await stored()).toEqual({});
		},
	);

	it.each([
		["a b", "quokka,quokka"],
		["a b", "a\nb"],
		[" ", "\n\n\n"],
	])("logs the same when it is %j and %j", async (...values) => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		for (const value of values) {
			const secrets = { [other]: "valid", [name]: value };
			await post(plant, { Authorization: undefined }, secrets);
		}
		const lines = log.mock.calls.flatMap(parseLog);
		const [first, second] = lines.map((line) => Object(line).error.message);
		expect(first).toBe(second);
	});

	it.each([
		["missing", undefined, undefined],
		["blank", "", undefined],
		["dev-token, behind Cloudflare", "dev-token", "8f2a-PRG"],
	])("tells a developer how to set it when it is %s", async (_, value, ray) => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const secrets = { [other]: "valid", [name]: value };
		const headers = { Authorization: undefined, "CF-Ray": ray };
		await post(plant, headers, secrets);
		const [line = []] = log.mock.calls;
		const error = { message: expect.stringContaining(advice) };
		expect(parseLog(line)).toMatchObject([{ error }]);
	});

	it.each(["", "one two"])(
		"returns 200 with the token of another secret, and logs nothing, when it is %j",
		async (secret) => {
			const secrets = { [other]: "valid", [name]: secret };
			const headers = { Authorization: "Bearer valid" };
			expect((await post(plant, headers, secrets)).status).toBe(200);
		},
	);
});

describe("when ACCESS_TOKEN is missing", () => {
	const { ACCESS_TOKEN: _, ...others } = env;
	const Authorization = "Bearer undefined";

	it("returns 500, and logs the name of each unusable secret", async () => {
		const log = vi.spyOn(console, "error").mockReturnValue();
		const secrets = { ACCESS_TOKEN_FOR_SHOP: "", ACCESS_TOKEN_FOR_FARM: "a,b" };
		const headers = { Authorization, "CF-Ray": "8f2a-PRG" };
		const res = await send("/", { headers }, { ...others, ...secrets });
		expect(res.status).toBe(500);
		const text = JSON.stringify(log.mock.calls.flatMap(parseLog));
		for (const name of ["ACCESS_TOKEN", ...Object.keys(secrets)]) {
			expect(text).toMatch(new RegExp(`\\b${name}\\b`));
		}
	});
});
