import { env } from "cloudflare:workers";
import { zValidator } from "@hono/zod-validator";
import { Hono } from "hono";
import { expect, it, onTestFinished, vi } from "vitest";
import * as z from "zod/mini";
import { rejectInvalid } from "../src/plant";
import { plant, post, stored, withPut } from "./request";

it("returns 200 with the name and the tag, and stores the same text", async () => {
	const res = await post(
		'{ "tag":"\\u0069ndoor", "id":42, "name":"Bl\\u00fcte" }',
		{ Origin: "https://example.com" },
	);
	expect(res.status).toBe(200);
	expect(Object.fromEntries(res.headers)).toEqual({
		"content-type": "application/json",
	});
	expect(await res.text()).toBe('{"name":"Blüte","tag":"indoor"}');
	expect(await stored()).toEqual({ 42: '{"name":"Blüte","tag":"indoor"}' });
});

it("replaces the plant with the same id", async () => {
	await post('{"id":7,"name":"old","tag":"old"}');
	const res = await post('{"id":7,"name":"new"}');
	expect(await res.text()).toBe('{"name":"new"}');
	expect(await stored()).toEqual({ 7: '{"name":"new"}' });
});

it("stores no expiration and no metadata", async () => {
	await post('{"id":7,"name":"Ficus"}');
	expect((await env.PLANTS.list()).keys).toEqual([{ name: "7" }]);
});

it("returns no response until the plant is stored, even after an hour", async () => {
	vi.useFakeTimers();
	vi.spyOn(scheduler, "wait").mockResolvedValue();
	vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
	onTestFinished(() => void vi.useRealTimers());
	const events: string[] = [];
	const { promise, resolve } = Promise.withResolvers<void>();
	const response = (async () => {
		const bindings = withPut(() => promise);
		await post(plant, {}, bindings);
		events.push("response");
	})();
	await vi.advanceTimersByTimeAsync(3_600_000);
	events.push("stored");
	resolve();
	await response;
	expect(events).toEqual(["stored", "response"]);
});

it("writes once to KV and reads nothing", async () => {
	const calls: string[] = [];
	const PLANTS = new Proxy(env.PLANTS, {
		get: (target, name: "put") => {
			calls.push(name);
			return target[name].bind(target);
		},
	});
	await post(plant, {}, { PLANTS });
	expect(calls).toEqual(["put"]);
});

it.each([
	["other members", '{"id":1,"name":"Ficus","Tag":5,"x":{"id":2}}'],
	["the first of two ids", '{"id":2,"name":5,"id":1,"name":"Ficus"}'],
])("ignores %s", async (_, body) => {
	const res = await post(body);
	expect(res.status).toBe(200);
	expect(await stored()).toEqual({ 1: '{"name":"Ficus"}' });
});

it.each([
	["an empty string", '""', ""],
	["NUL", '"a\\u0000b"', "a\0b"],
	["a combining accent", '"e\u0301"', "e\u0301"],
	["a lone surrogate", '"\\ud800"', "\ud800"],
	["an escaped surrogate pair", '"\\ud83c\\udf31"', "🌱"],
	["a byte order mark", '"\ufeff"', "\ufeff"],
	["40,000 euro signs", `"${"€".repeat(40_000)}"`, "€".repeat(40_000)],
	["digits", '"1.50e3 9007199254740993"', "1.50e3 9007199254740993"],
])("stores %s exactly", async (_, json, value) => {
	const res = await post(`{"id":1,"name":${json},"tag":${json}}`);
	const text = JSON.stringify({ name: value, tag: value });
	expect(await res.text()).toBe(text);
	expect(await stored()).toEqual({ 1: text });
});

it.each([
	"{}",
	'{"name":"Ficus"}',
	'{"id":1,"name":null}',
	'{"id":1,"name":"Ficus","tag":null}',
	'{"ID":1,"Name":"Ficus"}',
	'{"__proto__":{"id":1,"name":"Ficus"}}',
	"[]",
	"null",
	'"Ficus"',
])("returns error 422 for %s", async (body) => {
	const res = await post(body);
	expect(res.status).toBe(400);
	// Without a message of ours, Zod says "Invalid input".
	const message = expect.not.stringContaining("Invalid");
	expect(await res.json()).toEqual({ error: 422, message });
	expect(await stored()).toEqual({});
});

it("returns only the last error of a member", async () => {
	const height = z
		.int("must be an integer")
		.check(z.maximum(9, "is too large"));
	const validator = zValidator("json", z.object({ height }), rejectInvalid);
	const app = new Hono().post("/", validator);
	const body = new Blob(['{"height":1e300}'], { type: "application/json" });
	const res = await app.request("/", { method: "POST", body });
	expect(await res.json()).toMatchObject({ message: "height is too large" });
});
