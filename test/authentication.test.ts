import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import app from "../src/index";
import { expectRefused, expectStored, send } from "./service";

const body = '{"id":1,"name":"Ficus"}';
const CHALLENGE = 'Bearer realm="plants"';
const INVALID = `${CHALLENGE}, error="invalid_token"`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe("the bearer token", () => {
	it.each([["Bearer"], ["bearer"], ["BEARER"], ["Bearer "]])(
		"is taken after the scheme written %j",
		async (scheme) => {
			const headers = { Authorization: `${scheme} ${env.ACCESS_TOKEN}` };
			await expectStored({ body, headers }, "1", { name: "Ficus" });
		},
	);

	it.each([
		["no header", null],
		["an empty header", ""],
		["the scheme alone", "Bearer"],
		["the token alone", env.ACCESS_TOKEN],
		["another scheme", `Basic ${btoa(`user:${env.ACCESS_TOKEN}`)}`],
		["another scheme with the token", `Token ${env.ACCESS_TOKEN}`],
		["a tab in place of the space", `Bearer\t${env.ACCESS_TOKEN}`],
		["another scheme before it", `Basic x Bearer ${env.ACCESS_TOKEN}`],
		["the scheme glued to the token", `Bearer${env.ACCESS_TOKEN}`],
	])("is asked for: %s", async (_, authorization) => {
		const headers = { Authorization: authorization };
		const answer = await expectRefused(
			{ body, headers },
			401,
			401,
			/Authorization: Bearer/,
		);
		expect(answer.headers.get("WWW-Authenticate")).toBe(CHALLENGE);
	});

	it.each([
		["another token", "other-token"],
		["one of the same length", env.ACCESS_TOKEN.replace(/.$/, "x")],
		["a part of it", env.ACCESS_TOKEN.slice(0, -1)],
		["more than it", `${env.ACCESS_TOKEN}x`],
		["it in another case", env.ACCESS_TOKEN.toUpperCase()],
		["it in quotes", `"${env.ACCESS_TOKEN}"`],
		["it twice", `${env.ACCESS_TOKEN} ${env.ACCESS_TOKEN}`],
		[
			"two headers, as HTTP joins them",
			`${env.ACCESS_TOKEN}, Bearer ${env.ACCESS_TOKEN}`,
		],
		["bytes that are no ASCII", "\u00e9".repeat(env.ACCESS_TOKEN.length)],
		["64 KiB", "x".repeat(65_536)],
	])("is refused when it is %s", async (_, token) => {
		const answer = await expectRefused(
			{ body, headers: bearer(token) },
			401,
			401,
			/not valid/,
		);
		expect(answer.headers.get("WWW-Authenticate")).toBe(INVALID);
	});

	it("is compared with timingSafeEqual, at the length of the secret", async () => {
		const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
		await expectRefused({ body, headers: bearer("x") }, 401, 401, /not valid/);
		expect(
			compare.mock.calls.map((args) =>
				args.map(({ byteLength }) => byteLength),
			),
		).toEqual([[env.ACCESS_TOKEN.length, env.ACCESS_TOKEN.length]]);
		compare.mockRestore();
	});

	it("is judged by timingSafeEqual alone", async () => {
		const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
		compare.mockReturnValue(false);
		const headers = bearer(env.ACCESS_TOKEN);
		await expectRefused({ body, headers }, 401, 401, /not valid/);
		compare.mockRestore();
	});

	it("comes before everything else that is wrong", async () => {
		const headers = { ...bearer("wrong"), "Content-Type": "text/plain" };
		await expectRefused({ body: "{", headers }, 401, 401, /not valid/);
	});

	it("comes before the body is read", async () => {
		const request = new Request("https://plants.example/plants", {
			method: "POST",
			body,
		});
		expect(await app.fetch(request, env)).toMatchObject({ status: 401 });
		expect(request.bodyUsed).toBe(false);
	});

	it.each([
		["GET", "/"],
		["GET", "/plants"],
		["HEAD", "/plants"],
		["PUT", "/plants"],
		["POST", "/nowhere"],
		["GET", "/favicon.ico"],
		["DELETE", "/plants/1"],
		["OPTIONS", "/plants"],
		["POST", "/openapi.json/"],
	])("is asked for at %s %s", async (method, path) => {
		const answer = await send({ method, path, headers: bearer("wrong") });
		expect(answer.status).toBe(401);
	});
});

describe("ACCESS_TOKEN", () => {
	const LONG = "b64token-._~+/AZaz09==";

	it.each([
		["one token", "one", ["one"]],
		["every character of a b64token", LONG, [LONG]],
		["two tokens", "new old", ["new", "old"]],
		["three tokens", "one two three", ["one", "two", "three"]],
		[
			"white space of every kind around them",
			" \n one\r\n\ttwo\v\f\u00a0",
			["one", "two"],
		],
	])("lets in each of %s", async (_, ACCESS_TOKEN, tokens) => {
		for (const token of tokens) {
			const sent = { body, headers: bearer(token), env: { ACCESS_TOKEN } };
			await expectStored(sent, "1", { name: "Ficus" });
		}
	});

	it.each([
		["the last of two that were three", "one two", "three"],
		["several at once", "one two", "one two"],
		["several glued together", "one two", "onetwo"],
		["the white space between", "one two", " "],
	])("does not let in %s", async (_, ACCESS_TOKEN, token) => {
		const sent = { body, headers: bearer(token), env: { ACCESS_TOKEN } };
		await expectRefused(sent, 401, 401, /./);
	});

	it("is read anew when it changes", async () => {
		const old = { body, headers: bearer("aaa"), env: { ACCESS_TOKEN: "aaa" } };
		await expectStored(old, "1", { name: "Ficus" });
		await env.PLANTS.delete("1");
		const changed = { ...old, env: { ACCESS_TOKEN: "bbb" } };
		await expectRefused(changed, 401, 401, /not valid/);
	});

	it("is compared whole, whichever token matches", async () => {
		const compare = vi.spyOn(crypto.subtle, "timingSafeEqual");
		const sent = {
			body,
			headers: bearer("one"),
			env: { ACCESS_TOKEN: "one two three" },
		};
		await expectStored(sent, "1", { name: "Ficus" });
		expect(compare).toHaveBeenCalledTimes(3);
		compare.mockRestore();
	});

	it.each([
		["missing", undefined, "ACCESS_TOKEN is missing or blank"],
		["empty", "", "ACCESS_TOKEN is missing or blank"],
		["blank", " \t\n", "ACCESS_TOKEN is missing or blank"],
		["malformed", "pass,word", "entry 1 of ACCESS_TOKEN is not a bearer token"],
		[
			"malformed in one entry",
			"one two=2 three",
			"entry 2 of ACCESS_TOKEN is not a bearer token",
		],
		["only padding", "==", "entry 1 of ACCESS_TOKEN is not a bearer token"],
		["quoted", '"one"', "entry 1 of ACCESS_TOKEN is not a bearer token"],
		["not ASCII", "one žeton", "entry 2 of ACCESS_TOKEN is not a bearer token"],
	])(
		"lets nobody in while it is %s, and says so in the log alone",
		async (_, ACCESS_TOKEN, why) => {
			const log = vi.spyOn(console, "error").mockReturnValue();
			for (const token of [
				"",
				"undefined",
				...(ACCESS_TOKEN?.match(/\S+/g) ?? []),
			]) {
				const headers = {
					...(token && bearer(encodeURI(token))),
					"CF-Ray": "8f2a-PRG",
				};
				const sent = { body, headers, env: { ACCESS_TOKEN } };
				await expectRefused(
					sent,
					500,
					500,
					/^The service failed; the fault is not in the request/,
				);
				const line: unknown = JSON.parse(log.mock.lastCall?.[0]);
				expect(line).toEqual({
					event: "access_token_unusable",
					ray: "8f2a-PRG",
					error: { name: "Error", message: expect.stringContaining(why) },
				});
				expect(log.mock.lastCall?.[0]).not.toMatch(
					/pass,word|two=2|žeton|"one"/,
				);
			}
			log.mockRestore();
		},
	);
});
