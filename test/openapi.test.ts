import { env } from "cloudflare:workers";
import { inspectRoutes } from "hono/dev";
import { assert, describe, expect, it, vi } from "vitest";
import app from "../src/app";
import { MAX_BODY_BYTES } from "../src/body";
import { document } from "../src/openapi";
import { exampleOf, NewPlant } from "../src/plant";
import { failingKv, overHttp, plant, post } from "./request";

const { schemas } = document.components;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({
		name: `${method.toUpperCase()} ${path}`,
		...operation,
	})),
);

interface Schema {
	type?: string;
	properties?: Record<string, Schema>;
	items?: Schema;
	anyOf?: Schema[];
	oneOf?: Schema[];
}

/** Matches a value that has each member of each of its objects. Of a union, takes the first option. */
function complete(schema: Schema): unknown {
	const [option = schema] = schema.anyOf ?? schema.oneOf ?? [];
	const { type, properties = {}, items = {} } = option;
	if (type === "array") return expect.arrayContaining([complete(items)]);
	if (type !== "object") return expect.anything();
	const members = Object.entries(properties).map(([name, member]) => {
		return [name, complete(member)];
	});
	return expect.objectContaining(Object.fromEntries(members));
}

describe("the OpenAPI document", () => {
	it("is in public/openapi.json, which npm test -- -u writes", async () => {
		const text = `${JSON.stringify(document, null, 2)}\n`;
		await expect(text).toMatchFileSnapshot("../public/openapi.json");
	});

	it("has the interface that was given", () => {
		const json = (schema: string) => ({
			"application/json": {
				schema: { $ref: `#/components/schemas/${schema}` },
			},
		});
		expect(document).toMatchObject({
			openapi: "3.1.0",
			info: { license: { identifier: "MIT" } },
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
					Plant: {
						type: "object",
						required: ["name"],
						properties: { name: { type: "string" }, tag: { type: "string" } },
					},
					NewPlant: {
						type: "object",
						required: ["id", "name"],
						properties: {
							id: { type: "integer", format: "int64" },
							name: { type: "string" },
							tag: { type: "string" },
						},
					},
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
		expect(document.paths["/plants"]?.post).not.toHaveProperty("parameters");
		// Other members are ignored.
		for (const schema of [schemas.Plant, schemas.NewPlant]) {
			expect(schema).not.toHaveProperty("additionalProperties");
		}
	});

	it.each(Object.entries(exampleOf(NewPlant)))(
		"has a description and an example of the member %s",
		(name, example) => {
			const member = schemas.NewPlant.properties?.[name];
			expect(
				member,
				"register the description and the examples outside of z.optional",
			).toMatchObject({
				description: expect.stringMatching(/./),
				examples: expect.arrayContaining([example]),
			});
		},
	);

	// Zod builds parts of a nested schema when it first parses an object, which src/plant.ts does with
	// the examples. The end of the first request must not interrupt it.
	it.each(Object.entries(schemas.NewPlant.properties ?? {}))(
		"has an example of %s with each member of its objects",
		(name, member) => {
			const example = exampleOf(NewPlant)[name];
			const remedy = "complete the example in src/plant.ts";
			expect(example, remedy).toEqual(complete(member as Schema));
		},
	);

	it("has a maximum for each array", () => {
		// Otherwise, the errors of 150,000 wrong items overflow the stack.
		JSON.stringify(schemas, (_, value) => {
			if (value?.type === "array") expect(value).toHaveProperty("maxItems");
			return value;
		});
	});

	it("has each route of the app", () => {
		const routes = inspectRoutes(app)
			.filter(({ isMiddleware }) => !isMiddleware)
			.map(({ method, path }) => {
				// Hono's /plants/:id{[0-9]+} is /plants/{id} in the document.
				const documented = path.replace(/:(\w+)({[^/]+})?/g, "{$1}");
				return `${method} ${documented}`;
			});
		const documented = [
			...operations.map(({ name }) => name),
			// The route that returns 405.
			...Object.keys(document.paths).map((path) => `ALL ${path}`),
		];
		expect(routes.sort()).toEqual(documented.sort());
	});

	it.each(Object.entries(document.paths))(
		"has the path %s, where another method returns 405",
		async (path, methods) => {
			const url = path.replace(/{\w+}/g, "1");
			const headers = { Authorization: "Bearer test-token" };
			const res = await app.request(url, { method: "PROPFIND", headers }, env);
			expect(res.status).toBe(405);
			expect(await res.json()).toMatchObject({ error: 405 });
			for (const method of Object.keys(methods)) {
				expect(res.headers.get("Allow")).toContain(method.toUpperCase());
			}
		},
	);

	it.each(operations)(
		"documents 401, 403 and 500, only JSON, and no security of its own: $name",
		(operation) => {
			// One of its own would replace the security of the document.
			expect(operation).not.toHaveProperty("security");
			const { content } = operation.requestBody ?? {};
			if (content) expect(Object.keys(content)).toEqual(["application/json"]);
			expect(operation.responses).toMatchObject({ 401: {}, 403: {}, 500: {} });
		},
	);
});

/** Each documented response: "POST /plants 400". */
const responses = operations.flatMap((operation) =>
	Object.entries(operation.responses).map(([status, response]) => ({
		name: `${operation.name} ${status}`,
		status: Number(status),
		headers: {},
		content: {},
		...response,
	})),
);

it.each(responses)(
	"documents a Plant below 300, otherwise an Error, or no body: $name",
	({ status, content }) => {
		const schemaName = status < 300 ? "Plant" : "Error";
		const schema = { $ref: `#/components/schemas/${schemaName}` };
		const json = { schema, examples: expect.anything() };
		expect(content).toBeOneOf([{}, { "application/json": json }]);
		// Without an example, no request below tests it.
		expect(content["application/json"]?.examples).not.toEqual({});
	},
);

/** Each example: "POST /plants 400 tooLarge". A response without a body is one, noContent. */
const examples = responses.flatMap(({ name, content, ...response }) => {
	const json = content["application/json"];
	const bodies = json?.examples ?? { noContent: { value: undefined } };
	return Object.entries(bodies).map(([example, { value }]) => {
		return { ...response, name: `${name} ${example}`, example, body: value };
	});
});

describe("each example of the OpenAPI document", () => {
	const requests: Record<string, () => Promise<Response>> = {
		"POST /plants 200 stored": () => post(JSON.stringify(exampleOf(NewPlant))),
		"POST /plants 400 empty": () => post(""),
		"POST /plants 400 notJson": () => post('{"id":42,"name":"Ficus",}'),
		"POST /plants 400 tooLarge": () => post(" ".repeat(MAX_BODY_BYTES + 1)),
		"POST /plants 400 mediaType": () =>
			post(plant, { "Content-Type": "text/plain" }),
		"POST /plants 400 notNewPlant": () => post('{"id":1.5}'),
		"POST /plants 401 missing": () => post(plant, { Authorization: "" }),
		"POST /plants 401 invalid": () =>
			post(plant, { Authorization: "Bearer x" }),
		"POST /plants 403 http": () => post(plant, overHttp),
		"POST /plants 500 internal": () => post(plant, {}, { ACCESS_TOKEN: "" }),
		"POST /plants 503 store": () => post(plant, {}, failingKv),
	};

	it("has a request of its name", () => {
		const names = examples.map(({ name }) => name);
		expect(Object.keys(requests).sort()).toEqual(names.sort());
	});

	it.each(examples)(
		"is what the Worker returns: $name",
		async ({ name, status, description, headers, example, body }) => {
			const log = vi.spyOn(console, "error").mockReturnValue();
			const request = requests[name];
			assert(request, `Add "${name}" to requests above.`);
			const res = await request();
			const text = await res.text();
			expect(res.status, `${text} ${log.mock.lastCall ?? ""}`).toBe(status);

			const expected = new Headers(
				body && { "Content-Type": "application/json" },
			);
			for (const [header, { schema, examples }] of Object.entries(headers)) {
				const value = examples[example]?.value;
				assert(value, `Add the example ${example} to the header ${header}.`);
				expect(value).toMatch(new RegExp(schema.pattern));
				expected.set(header, value);
			}
			expect([...res.headers]).toEqual([...expected]);

			const received = text === "" ? undefined : JSON.parse(text);
			expect(received).toEqual(body);
			if (received?.error) expect(description).toContain(`${received.error}`);
		},
	);
});
