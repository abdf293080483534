import { inspectRoutes } from "hono/dev";
import { assert, expect, it, vi } from "vitest";
import * as z from "zod";
import app from "../src/app";
import { MAX_BODY_BYTES } from "../src/body";
import { document } from "../src/openapi";
import { exampleOf, NewPlant } from "../src/plant";
import { failingKv, overHttp, plant, post } from "./request";

const { schemas } = document.components;

/** The responses that become examples: status, name, summary, request. */
const examples: [number, string, string, () => Promise<Response>][] = [
	[
		200,
		"stored",
		"The plant is stored",
		() => post(JSON.stringify(exampleOf(NewPlant))),
	],
	// A mock server takes the first example of a status.
	[400, "notNewPlant", "The body is not a NewPlant", () => post('{"id":1.5}')],
	[400, "empty", "The body is empty", () => post("")],
	[
		400,
		"notJson",
		"The body is not JSON",
		() => post(`${plant.slice(0, -1)},}`),
	],
	[
		400,
		"tooLarge",
		"The body is too large",
		() => post(" ".repeat(MAX_BODY_BYTES + 1)),
	],
	[
		400,
		"mediaType",
		"The media type is not application/json",
		() => post(plant, { "Content-Type": "text/plain" }),
	],
	[
		401,
		"missing",
		"The token is missing",
		() => post(plant, { Authorization: undefined }),
	],
	[
		401,
		"invalid",
		"The token is wrong",
		() => post(plant, { Authorization: "Bearer x" }),
	],
	[403, "http", "The request came over http", () => post(plant, overHttp)],
	[
		500,
		"internal",
		"Internal error",
		() => post(plant, {}, { ACCESS_TOKEN: "" }),
	],
	[503, "store", "KV failed", () => post(plant, {}, failingKv)],
];

it("documents the statuses of the examples", () => {
	const statuses = examples.map(([status]) => `${status}`);
	const { responses } = document.paths["/plants"].post;
	expect(Object.keys(responses)).toEqual([...new Set(statuses)]);
});

it.each(examples)(
	"documents the response %d %s",
	async (status, _, __, send) => {
		vi.spyOn(console, "error").mockReturnValue();
		const res = await send();
		expect(res.status).toBe(status);
		const response = document.paths["/plants"].post.responses[status];
		assert(response, `document the status ${status}`);
		const { description, headers = {}, content } = response;

		for (const [name, { schema }] of Object.entries(headers)) {
			expect(res.headers.get(name)).toMatch(new RegExp(schema.pattern));
		}
		expect(Object.keys(content)).toEqual([res.headers.get("Content-Type")]);
		const schemaName = content["application/json"].schema.$ref.split("/").pop();
		const schema = schemas[
			schemaName as keyof typeof schemas
		] as z.core.JSONSchema.ObjectSchema;
		const body = await res.json<{ error?: number }>();
		z.fromJSONSchema({ ...schema, additionalProperties: false }).parse(body);
		if (body.error) expect(description).toContain(`${body.error}`);
	},
);

it("is public/openapi.json, with the responses as examples: npm run openapi writes it", async () => {
	vi.spyOn(console, "error").mockReturnValue();
	const complete = structuredClone(document);
	for (const [status, name, summary, send] of examples) {
		const res = await send();
		// Otherwise, the document would have an example of a different status.
		expect(res.status, name).toBe(status);
		const response = complete.paths["/plants"].post.responses[status];
		assert(response, `document the status ${status}`);
		const { headers = {}, content } = response;
		const json = content["application/json"];
		const value = await res.json();
		json.examples = { ...json.examples, [name]: { summary, value } };
		for (const [header, documented] of Object.entries(headers)) {
			const value = res.headers.get(header);
			documented.examples = { ...documented.examples, [name]: { value } };
		}
	}
	const text = `${JSON.stringify(complete, null, 2)}\n`;
	await expect(text).toMatchFileSnapshot("../public/openapi.json");
});

/** The members of a schema in any order, with types and limits. */
const membersOf = ({
	properties = {},
	required = [],
}: z.core.JSONSchema.BaseSchema) =>
	Object.fromEntries(
		Object.entries(properties).map(([name, member]) => {
			const { description, examples, ...limits } = Object(member);
			return [name, { ...limits, required: required.includes(name) }];
		}),
	);

it("has the interface that was given", () => {
	const json = (schema: string) => ({
		"application/json": {
			schema: { $ref: `#/components/schemas/${schema}` },
		},
	});
	// A new field shows all that it changes at once.
	expect.soft(document).toMatchObject({
		openapi: expect.stringMatching(/^3\.1\.\d+$/),
		info: { version: "1.0.0", license: { identifier: "MIT" } },
		servers: [{ url: "/" }],
		security: [{ bearerAuth: [] }],
		paths: {
			"/plants": {
				post: {
					operationId: "addPlant",
					requestBody: { required: true, content: json("NewPlant") },
					responses: {
						200: { content: json("Plant") },
						400: { content: json("Error") },
					},
				},
			},
		},
		components: {
			securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
			schemas: {
				Plant: { type: "object" },
				NewPlant: { type: "object" },
				Error: {
					type: "object",
					required: ["error", "message"],
					properties: {
						error: { type: "integer", format: "int32" },
						message: { type: "string" },
					},
				},
			},
		},
	});
	// toMatchObject would accept further members, and further limits of a member.
	const members = {
		name: { type: "string", required: true },
		tag: { type: "string", required: false },
	};
	const id = { type: "integer", format: "int64", required: true };
	expect.soft(membersOf(schemas.Plant)).toEqual(members);
	expect.soft(membersOf(schemas.NewPlant)).toEqual({ id, ...members });
	const { post } = document.paths["/plants"];
	expect(post).not.toHaveProperty("parameters");
	// It would replace the security of the document.
	expect(post).not.toHaveProperty("security");
	expect(Object.keys(post.requestBody.content)).toEqual(["application/json"]);
	// Other members are ignored.
	for (const schema of [schemas.Plant, schemas.NewPlant]) {
		expect(schema).not.toHaveProperty("additionalProperties");
	}
});

it("has each route of the app, and one that returns 405 for any other method", () => {
	const routes = inspectRoutes(app)
		.filter(({ isMiddleware }) => !isMiddleware)
		.map(({ method, path }) => `${method} ${path}`);
	const documented = Object.entries(document.paths).flatMap(
		([path, operations]) =>
			[...Object.keys(operations), "all"].map(
				(method) => `${method.toUpperCase()} ${path}`,
			),
	);
	expect(routes).toEqual(documented);
});

it.each(Object.entries(schemas.NewPlant.properties ?? {}))(
	"describes the member %s, with an example",
	(name, member) => {
		// exampleOf does not find what is registered inside of z.optional.
		expect(member, "register both outside of z.optional").toMatchObject({
			description: expect.stringMatching(/./),
			examples: [exampleOf(NewPlant)[name]],
		});
	},
);
