import { env } from "cloudflare:workers";
import { expect, it, onTestFinished, vi } from "vitest";
import { exampleOf, NewPlant, Plant } from "../src/plant";
import {
	members,
	newPlant,
	plant,
	post,
	stored,
	value,
	withPut,
} from "./request";

it("returns 200 with the name and the tag, and stores the same text", async () => {
	const res = await post(
		'{ "tag":"\\u0069ndoor", "id":42, "name":"Bl\\u00fcte" }',
		{ Origin: "https://example.com" },
	);
	expect(res.status).toBe(200);
	// No CORS: see docs/api.md.
	expect(res.headers.has("Access-Control-Allow-Origin")).toBe(false);
	const text = await res.text();
	expect(JSON.parse(text)).toEqual({ name: "Blüte", tag: "indoor" });
	expect(await stored()).toEqual({ 42: text });
});

it("replaces the plant with the same id", async () => {
	await post(newPlant("7"));
	const withoutTag = JSON.stringify({ ...exampleOf(Plant), tag: undefined });
	const res = await post(`{"id":7,${withoutTag.slice(1)}`);
	expect(await res.text()).toBe(withoutTag);
	expect(await stored()).toEqual({ 7: withoutTag });
});

it("stores no expiration and no metadata", async () => {
	await post(newPlant("7"));
	expect((await env.PLANTS.list()).keys).toEqual([{ name: "7" }]);
});

it("returns no response until the plant is stored, however long it takes", async () => {
	const called = Promise.withResolvers<void>();
	const done = Promise.withResolvers<void>();
	const wait = scheduler.wait.bind(scheduler);
	// Each time limit that the Worker may set ends at once.
	vi.spyOn(scheduler, "wait").mockResolvedValue();
	vi.spyOn(AbortSignal, "timeout").mockImplementation(() => {
		const controller = new AbortController();
		setTimeout(() => controller.abort());
		return controller.signal;
	});
	vi.useFakeTimers({ toFake: ["setTimeout", "setInterval"] });
	onTestFinished(() => void vi.useRealTimers());
	const put = () => {
		called.resolve();
		return done.promise;
	};
	const response = post(plant, {}, withPut(put));
	await Promise.race([called.promise, response]);
	await vi.runAllTimersAsync();
	expect(await Promise.race([response, wait(100)])).toBeUndefined();
	done.resolve();
	expect((await response).status).toBe(200);
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

it("ignores other members", async () => {
	const res = await post(`{"id":1,${members},"Tag":5,"x":{"id":2}}`);
	expect(res.status).toBe(200);
	expect(await stored()).toEqual({ 1: value });
});

it.each([
	["an empty string", '""', ""],
	["NUL", '"a\\u0000b"', "a\0b"],
	["a combining accent", '"e\u0301"', "e\u0301"],
	["a lone surrogate", '"\\ud800"', "\ud800"],
	["an escaped surrogate pair", '"\\ud83c\\udf31"', "🌱"],
	["a byte order mark", '"\ufeff"', "\ufeff"],
	["digits", '"1.50e3 9007199254740993"', "1.50e3 9007199254740993"],
])("stores %s exactly", async (_, json, exact) => {
	const body = `{"id":1,${members},"name":${json},"tag":${json}}`;
	const text = await (await post(body)).text();
	const { name, tag } = JSON.parse(text);
	expect(JSON.stringify([name, tag])).toBe(JSON.stringify([exact, exact]));
	expect(await stored()).toEqual({ 1: text });
});

const names = Object.keys(NewPlant.shape);
/** A body in which each member has this value. */
const withEach = (json: string) =>
	`{${names.map((name) => `"${name}":${json}`)}}`;

/** Matches a message that has all of these words, in any order. */
const all = (...words: string[]) =>
	new RegExp(words.map((word) => `(?=.*\\b${word}\\b)`).join(""));

it.each([
	[withEach("null"), all(...names)],
	["{}", all("id", "name")],
	['{"name":"Ficus"}', /\bid\b/],
	['{"id":null,"name":""}', /\bid\b.+\binteger\b.+\bnull\b/],
	['{"id":"1","name":""}', /\bid\b.+\binteger\b.+\bstring\b/],
	['{"id":true,"name":""}', /\bid\b.+\binteger\b.+\bboolean\b/],
	['{"id":[1],"name":""}', /\bid\b.+\binteger\b.+\barray\b/],
	['{"id":1.5,"name":""}', /\bid\b.+\binteger\b.+\bnumber\b/],
	['{"id":9007199254740993.5,"name":""}', /\bid\b.+\binteger\b.+\bnumber\b/],
	['{"id":9223372036854775808,"name":""}', /\bid\b[^-]+9223372036854775807/],
	['{"id":-1e30,"name":""}', /\bid\b[^\d]+-9223372036854775808/],
	['{"id":1,"name":null}', /\bname\b.+\bstring\b.+\bnull\b/],
	['{"id":1,"name":"Ficus","tag":null}', /\btag\b.+\bstring\b.+\bnull\b/],
	['{"ID":1,"Name":"Ficus"}', all("id", "name")],
	['{"__proto__":{"id":1,"name":"Ficus"}}', all("id", "name")],
	["[]", /\bobject\b.+\barray\b/],
	["null", /\bobject\b.+\bnull\b/],
	['"Ficus"', /\bobject\b.+\bstring\b/],
])("returns error 422 for %s", async (body, content) => {
	const res = await post(body);
	expect(res.status).toBe(400);
	const message = expect.stringMatching(content);
	expect(await res.json()).toMatchObject({ error: 422, message });
	expect(await stored()).toEqual({});
});

it.each(['"quokka"', '["quokka"]', '{"quokka":"quokka"}'])(
	"returns error 422 with no part of the body when each member is %s",
	async (value) => {
		const res = await post(withEach(value));
		const message = expect.not.stringContaining("quokka");
		expect(await res.json()).toMatchObject({ error: 422, message });
	},
);
