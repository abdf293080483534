import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import openapi from "../public/openapi.json";
import app from "../src/app";
import { MAX_BODY_BYTES } from "../src/body";
import { NewPlant, Plant } from "../src/plant";
import { failingKv, overHttp, post, stored } from "./request";

interface DocumentedResponse {
	$ref?: string;
	description?: string;
	headers?: Record<
		string,
		{ required?: boolean; schema: { pattern: string }; example: string }
	>;
	content?: {
		"application/json"?: {
			schema?: object;
			examples?: Record<string, { value: { error?: number } }>;
		};
	};
}
type Responses = Record<string, DocumentedResponse>;

/** Follows a `$ref` to `components.responses`. */
function resolve({ $ref, ...response }: DocumentedResponse) {
	const { responses } = openapi.components as { responses?: Responses };
	return $ref ? responses?.[$ref.split("/").at(-1) ?? ""] : response;
}

const paths: Record<string, Record<string, unknown>> = openapi.paths;
const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).flatMap(([method, value]) => {
		// A path has other members, too, such as `parameters`.
		const { responses } = value as { responses?: Responses };
		const name = `${method.toUpperCase()} ${path}`;
		return responses ? { name, responses } : [];
	}),
);
const METHODS = ["DELETE", "GET", "PATCH", "POST", "PUT"];

describe("the OpenAPI document", () => {
	it("has the interface of POST /plants", () => {
		const schema = (name: string) => ({
			"application/json": { schema: { $ref: `#/components/schemas/${name}` } },
		});
		expect(openapi).toMatchObject({
			openapi: "3.1.0",
			info: { version: "1.0.0", license: { identifier: "MIT" } },
			// The origin that the document comes from, whatever the domain is.
			servers: [{ url: "/" }],
			security: [{ bearerAuth: [] }],
			components: {
				securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
				schemas: {
					NewPlant: { allOf: [{}, { $ref: "#/components/schemas/Plant" }] },
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
		expect(openapi.paths["/plants"].post).toMatchObject({
			operationId: "addPlant",
			requestBody: { required: true, content: schema("NewPlant") },
			responses: { 200: { content: schema("Plant") } },
		});
	});

	it("has each route of the app, unless its response is 405", async () => {
		const headers = { Authorization: "Bearer test-token" };
		const routes = new Set<string>();
		for (const route of app.routes) {
			const path = route.path.replace(/:(\w+)({.+?})?(?=\/|$)/g, "{$1}");
			// A middleware has ALL, too. Without a route, its status is 404.
			const isAll = route.method === "ALL";
			for (const method of isAll ? METHODS : [route.method]) {
				const init = { method, headers };
				const { status } = await app.request(route.path, init, env);
				if (status === 405 || (isAll && status === 404)) continue;
				routes.add(`${method} ${path}`);
			}
		}
		expect(routes).toEqual(new Set(operations.map(({ name }) => name)));
	});

	it.each(operations)("has the errors of $name", ({ responses }) => {
		expect(responses).toMatchObject({ 401: {}, 403: {}, 500: {} });
	});

	it("has the limit of the body in the description of the body", () => {
		const { description } = openapi.paths["/plants"].post.requestBody;
		const limit = MAX_BODY_BYTES.toLocaleString("en-US");
		expect(description).toContain(`at most ${limit} bytes`);
	});

	const { schemas } = openapi.components;
	const { allOf, ...rest } = schemas.NewPlant;
	const [own] = allOf;
	/** NewPlant with the members of Plant, to which its allOf refers. */
	const newPlant = {
		...rest,
		...own,
		required: [...(own?.required ?? []), ...schemas.Plant.required],
		properties: { ...own?.properties, ...schemas.Plant.properties },
	};

	it.each([
		["Plant", schemas.Plant, Plant],
		["NewPlant", newPlant, NewPlant],
	])("has the schema %s that Zod validates", (_, documented, zod) => {
		const { $schema, ...schema } = z.toJSONSchema(zod, {
			io: "input",
			unrepresentable: "any",
			// JSON Schema has no bigint.
			override({ zodSchema: { _zod }, jsonSchema }) {
				if (_zod.def.type === "bigint") {
					Object.assign(jsonSchema, { type: "integer", format: "int64" });
				}
			},
		});
		const members = Object.entries(documented.properties).map(
			([name, { description, examples, ...member }]) => [name, member],
		);
		const properties = Object.fromEntries(members);
		expect({ ...documented, properties }).toEqual(schema);
	});

	const members = Object.entries<{ type: string; examples?: unknown[] }>(
		schemas.Plant.properties,
	);
	const example = Object.fromEntries(
		members.map(([name, { examples }]) => [name, examples?.[0]]),
	);

	it("has an example of each member of Plant, which the Worker stores and returns", async () => {
		expect(Object.values(example)).not.toContain(undefined);
		const res = await post(JSON.stringify({ id: 42, ...example }));
		expect(await res.json()).toEqual(example);
		expect(await stored()).toEqual({ 42: JSON.stringify(example) });
	});
});

describe("the examples of responses", () => {
	const plant = '{"id":42,"name":"Ficus"}';

	/** For each example of the OpenAPI document, a request that returns it. */
	const requests: Record<string, () => Promise<Response>> = {
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

	const documented = operations.flatMap((operation) =>
		Object.entries(operation.responses).flatMap(([status, response]) => {
			const { description, headers, content } = resolve(response) ?? {};
			const { schema, examples } = content?.["application/json"] ?? {};
			// An error must have an example: "none" has no request.
			const none = status < "400" ? {} : { none: { value: { error: 0 } } };
			return Object.entries(examples ?? none).map(([name, { value }]) => ({
				title: `${operation.name} ${status} ${name}`,
				status: Number(status),
				description,
				headers: Object.entries(headers ?? {}),
				schema,
				value,
			}));
		}),
	);

	it("each have a request in this test", () => {
		expect(documented.map(({ title }) => title)).toEqual(Object.keys(requests));
	});

	it.each(documented)(
		"include what the Worker returns: $title",
		async ({ title, status, description, headers, schema, value }) => {
			vi.spyOn(console, "error").mockReturnValue();
			const res = await requests[title]?.();
			expect(res?.status).toBe(status);
			expect(await res?.json()).toEqual(value);
			const name = status < 400 ? "Plant" : "Error";
			expect(schema).toEqual({ $ref: `#/components/schemas/${name}` });
			expect(description).toContain(`${value.error ?? ""}`);
			const expected = headers.map(([name, { required, schema, example }]) => {
				expect(required).toBe(true);
				expect(example).toMatch(new RegExp(schema.pattern));
				return [name.toLowerCase(), expect.stringMatching(schema.pattern)];
			});
			expect(Object.fromEntries(res?.headers ?? [])).toEqual({
				"content-type": "application/json",
				...Object.fromEntries(expected),
			});
		},
	);
});
