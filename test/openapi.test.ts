import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import openapi from "../src/openapi.json";
import { NewPlant, Plant } from "../src/plant";
import { type Sent, send, withPut } from "./service";

const { post } = openapi.paths["/plants"];
const { schemas } = openapi.components;

const requests = post.requestBody.content["application/json"].examples;
const down = withPut(() => Promise.reject(new Error("down")));
/** For each example of an answer, the request that gets it. */
const provoke: Record<string, Sent> = {
	plant: { body: JSON.stringify(requests.plant.value) },
	untagged: { body: JSON.stringify(requests.untagged.value) },
	notJson: { body: "{" },
	tooLarge: { body: " ".repeat(1_048_577) },
	mediaType: { headers: { "Content-Type": "text/plain" } },
	notNewPlant: { body: '{"id":1.5}' },
	missing: { headers: { Authorization: null } },
	invalid: { headers: { Authorization: "Bearer another" } },
	failed: { env: { ACCESS_TOKEN: "" } },
	store: { body: JSON.stringify(requests.plant.value), env: down },
};

describe("GET /openapi.json", () => {
	it("is answered with the description, without a token", async () => {
		const sent = {
			method: "GET",
			path: "/openapi.json",
			headers: { Authorization: null },
		};
		const answer = await send(sent);
		expect(answer.status).toBe(200);
		expect(JSON.parse(answer.body)).toEqual(openapi);
	});

	it("is answered without a body to HEAD", async () => {
		const sent = {
			method: "HEAD",
			path: "/openapi.json",
			headers: { Authorization: null },
		};
		expect(await send(sent)).toMatchObject({ status: 200, body: "" });
	});

	it("is answered even while there is no secret", async () => {
		const sent = {
			method: "GET",
			path: "/openapi.json",
			env: { ACCESS_TOKEN: undefined },
		};
		expect(await send(sent)).toMatchObject({ status: 200 });
	});
});

describe("the description", () => {
	it("is version 1.0.0 of an OpenAPI 3.1.0 description, under the MIT licence", () => {
		expect(openapi).toMatchObject({
			openapi: "3.1.0",
			info: { version: "1.0.0", license: { name: "MIT", identifier: "MIT" } },
		});
	});

	it("has POST /plants alone, behind bearerAuth", () => {
		expect(Object.keys(openapi.paths)).toEqual(["/plants"]);
		expect(Object.keys(openapi.paths["/plants"])).toEqual(["post"]);
		expect(openapi.security).toEqual([{ bearerAuth: [] }]);
		expect(openapi.components.securitySchemes).toEqual({
			bearerAuth: { type: "http", scheme: "bearer" },
		});
	});

	it("has the headers that the answers have", () => {
		expect(Object.keys(post.responses[401].headers)).toEqual([
			"WWW-Authenticate",
		]);
		expect(Object.keys(post.responses[503].headers)).toEqual(["Retry-After"]);
	});

	it("has an example of each answer", () => {
		const examples = Object.values(post.responses).flatMap(({ content }) =>
			Object.keys(content["application/json"].examples),
		);
		expect(examples.sort()).toEqual(Object.keys(provoke).sort());
	});

	it("has a server that is relative", () => {
		expect(openapi.servers.map(({ url }) => url)).toEqual(["/"]);
	});

	it.each([
		["Plant", Plant, schemas.Plant],
		["NewPlant", NewPlant, schemas.NewPlant],
	])("has the %s that Zod validates", (_, zod, described) => {
		const { $schema, ...validated } = z.toJSONSchema(zod, {
			io: "input",
			unrepresentable: "any",
			// That an int64 is wanted is in a predicate, which JSON Schema cannot say.
			override: ({ jsonSchema, path }) => {
				if (path.at(-1) === "id")
					Object.assign(jsonSchema, { type: "integer", format: "int64" });
			},
		});
		expect(withoutDescriptions(described)).toEqual(validated);
	});

	it("has the Error of the interface", () => {
		expect(withoutDescriptions(schemas.Error)).toEqual({
			type: "object",
			required: ["error", "message"],
			properties: {
				error: { type: "integer", format: "int32" },
				message: { type: "string" },
			},
		});
	});
});

describe("an example of the description", () => {
	it.each(
		Object.entries(post.responses).flatMap(([status, { content }]) =>
			Object.entries(content["application/json"].examples).map(
				([name, { value }]) => [status, name, value] as const,
			),
		),
	)("is what the service answers: %s %s", async (status, name, value) => {
		vi.spyOn(console, "error").mockReturnValue();
		const answer = await send(provoke[name] as Sent);
		expect(answer).toMatchObject({
			status: Number(status),
			body: JSON.stringify(value),
		});
		vi.restoreAllMocks();
	});
});

function withoutDescriptions(schema: object): unknown {
	return JSON.parse(
		JSON.stringify(schema, (key, value) =>
			key === "description" ? undefined : value,
		),
	);
}
