import { env } from "cloudflare:workers";
import { inspectRoutes } from "hono/dev";
import { describe, expect, it, vi } from "vitest";
import app from "../src/app";
import { MAX_BODY_BYTES } from "../src/body";
import { document } from "../src/openapi";
import { failingKv, overHttp, post } from "./request";

const { Plant, NewPlant } = document.components.schemas;

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
	Object.entries(methods).map(([method, operation]) => ({
		name: `${method.toUpperCase()} ${path}`,
		...operation,
	})),
);

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
		for (const schema of [Plant, NewPlant]) {
			expect(schema).not.toHaveProperty("additionalProperties");
		}
	});

	it.each(Object.entries({ ...NewPlant.properties }))(
		"has a description and an example of the member %s",
		(_, member) => {
			expect(member).toMatchObject({
				description: expect.stringMatching(/./),
				examples: expect.arrayContaining([expect.anything()]),
			});
		},
	);

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
		"has the authentication, the media type and the errors of each request: $name",
		(operation) => {
			// One of its own would replace the security of the document.
			expect(operation).not.toHaveProperty("security");
			const { content } = operation.requestBody ?? {};
			if (content) expect(Object.keys(content)).toEqual(["application/json"]);
			expect(operation.responses).toMatchObject({ 401: {}, 403: {}, 500: {} });
		},
	);
});

describe("each response of the OpenAPI document", () => {
	const plant = '{"id":42,"name":"Ficus"}';

	/** An object with the first example of each member. */
	const exampleOf = ({ properties = {} }: typeof Plant) =>
		Object.fromEntries(
			Object.entries(properties).map(([name, member]) => [
				name,
				Object(member).examples?.[0],
			]),
		);

	/** The requests that return the examples of each response, in the same order. */
	const requests: Record<string, (() => Promise<Response>)[]> = {
		"POST /plants 200": [() => post(JSON.stringify(exampleOf(NewPlant)))],
		"POST /plants 400": [
			() => post('{"id":42,"name":"Ficus",}'),
			() => post(" ".repeat(MAX_BODY_BYTES + 1)),
			() => post(plant, { "Content-Type": "text/plain" }),
			() => post('{"id":1.5}'),
		],
		"POST /plants 401": [
			() => post(plant, { Authorization: "" }),
			() => post(plant, { Authorization: "Bearer x" }),
		],
		"POST /plants 403": [() => post(plant, overHttp)],
		"POST /plants 500": [() => post(plant, {}, { ACCESS_TOKEN: "" })],
		"POST /plants 503": [() => post(plant, {}, failingKv)],
	};

	const documented = operations.flatMap(({ name, responses }) =>
		Object.entries(responses).map(([status, response]) => ({
			title: `${name} ${status}`,
			status: Number(status),
			...response,
		})),
	);

	it.each(documented)(
		"is what the Worker returns: $title",
		async ({ title, status, description, headers = {}, content }) => {
			vi.spyOn(console, "error").mockReturnValue();
			const send = requests[title] ?? [];
			expect(send, "see requests above").not.toEqual([]);
			const returned = await Promise.all(send.map((request) => request()));

			const names = ["Content-Type", ...Object.keys(headers)];
			for (const res of returned) {
				expect(res.status).toBe(status);
				expect([res.headers.get("Content-Type")]).toEqual(Object.keys(content));
				expect([...res.headers.keys()].sort()).toEqual(
					names.map((name) => name.toLowerCase()).sort(),
				);
			}
			for (const [name, { schema, example }] of Object.entries(headers)) {
				const values = returned.map((res) => res.headers.get(name));
				expect(values).toContain(example);
				for (const value of values) {
					expect(value).toMatch(new RegExp(schema.pattern));
				}
			}

			const [json] = Object.values(content);
			const schema = status < 300 ? "Plant" : "Error";
			expect(json?.schema.$ref).toBe(`#/components/schemas/${schema}`);
			// The example of a Plant is made of those of its members.
			const { examples = { plant: { value: exampleOf(Plant) } } } = json ?? {};
			const bodies = await Promise.all(
				returned.map((res) => res.json<{ error?: number }>()),
			);
			expect(bodies, "see requests above").toEqual(
				Object.values(examples).map(({ value }) => value),
			);
			for (const { error = "" } of bodies) {
				expect(description).toContain(`${error}`);
			}
		},
	);
});
