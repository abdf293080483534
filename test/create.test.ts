import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { expectStored, send, stored, withPut } from "./service";

describe("POST /plants", () => {
	it("answers 200 with the name and the tag, without the id", async () => {
		const body = '{"id":42,"name":"Monstera","tag":"indoor"}';
		await expectStored({ body }, "42", { name: "Monstera", tag: "indoor" });
	});

	it("leaves out a tag that was not given", async () => {
		await expectStored({ body: '{"id":42,"name":"Ficus"}' }, "42", {
			name: "Ficus",
		});
	});

	it("stores, byte for byte, the body of the answer", async () => {
		const answer = await send({
			body: '{ "tag":"\\u0069ndoor", "name":"Bl\\u00fcte", "id":1 }',
		});
		expect(answer.body).toBe('{"name":"Blüte","tag":"indoor"}');
		expect(await stored()).toEqual({ 1: answer.body });
	});

	it("answers after the write is done, not before", async () => {
		const { promise: written, resolve: finishWrite } =
			Promise.withResolvers<void>();
		const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
		const put = () => {
			begin();
			return written;
		};
		let answered = false;
		const answer = send({
			body: '{"id":1,"name":"Ficus"}',
			env: withPut(put),
		}).finally(() => {
			answered = true;
		});
		await begun;
		await scheduler.wait(20);
		expect(answered).toBe(false);
		finishWrite();
		expect(await answer).toMatchObject({ status: 200 });
	});

	it("replaces the plant that has the id", async () => {
		await send({ body: '{"id":7,"name":"old","tag":"gone"}' });
		await expectStored({ body: '{"id":7,"name":"new"}' }, "7", { name: "new" });
	});

	it("may be repeated", async () => {
		const body = '{"id":7,"name":"Ficus"}';
		await send({ body });
		await expectStored({ body }, "7", { name: "Ficus" });
	});

	it("leaves the plants of other ids as they are", async () => {
		await send({ body: '{"id":1,"name":"one"}' });
		await send({ body: '{"id":-1,"name":"minus one"}' });
		expect(await stored()).toEqual({
			1: '{"name":"one"}',
			"-1": '{"name":"minus one"}',
		});
	});

	it.each([
		[
			"unknown members",
			'{"id":1,"name":"Ficus","colour":"green","Tag":5,"nested":{"id":2}}',
		],
		["50,000 members", `{"id":1,"name":"Ficus"${',"x":1e9'.repeat(50_000)}}`],
		[
			"members named as JavaScript's",
			'{"id":1,"name":"Ficus","__proto__":{"tag":1},"constructor":2}',
		],
	])("ignores %s", async (_, body) => {
		await expectStored({ body }, "1", { name: "Ficus" });
	});

	it("counts the last of a member that is there twice", async () => {
		const body = '{"id":9007199254740993,"name":"first","id":1,"name":"last"}';
		await expectStored({ body }, "1", { name: "last" });
	});

	it("ignores the query", async () => {
		const body = '{"id":1,"name":"Ficus"}';
		await expectStored({ path: "/plants?id=2", body }, "1", { name: "Ficus" });
	});

	it("knows its path percent-encoded, too", async () => {
		const body = '{"id":1,"name":"Ficus"}';
		await expectStored({ path: "/%70lants", body }, "1", { name: "Ficus" });
	});

	it("writes once and reads nothing", async () => {
		const calls: string[] = [];
		const PLANTS = new Proxy(env.PLANTS, {
			get: (target, name: "put") => {
				calls.push(name);
				return target[name].bind(target);
			},
		});
		await send({ body: '{"id":1,"name":"Ficus"}', env: { PLANTS } });
		expect(calls).toEqual(["put"]);
	});
});

describe("a string", () => {
	it.each([
		["an empty one", '""', ""],
		["NUL", '"a\\u0000b"', "a\0b"],
		["U+2028", '"\u2028"', "\u2028"],
		["a lone surrogate", '"\\ud800"', "\ud800"],
		["a surrogate pair, escaped", '"\\ud83c\\udf31"', "🌱"],
		["a decomposed letter", '"u\u0308"', "u\u0308"],
		["a byte order mark", '"\ufeff"', "\ufeff"],
		[
			"what looks like a number",
			'"1.50e3 9007199254740993"',
			"1.50e3 9007199254740993",
		],
	])("is kept exactly: %s", async (_, text, value) => {
		const body = `{"id":1,"name":${text},"tag":${text}}`;
		await expectStored({ body }, "1", { name: value, tag: value });
	});
});
