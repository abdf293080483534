import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import document from "../public/openapi.json";
import app from "../src/app";
import { MAX_BODY_BYTES } from "../src/body";
import { NewPlant, Plant } from "../src/plant";
import { failingKv, overHttp, post } from "./request";

type Schema = {
	type?: "string" | "integer" | "object";
	required?: string[];
	properties?: Record<string, { examples?: unknown[] }>;
	allOf?: Schema[];
};
interface Message {
	description: string;
	headers?: Record<
		string,
		{ required?: boolean; schema: Schema; example?: unknown }
	>;
	content?: Record<
		string,
		{ schema: Schema; examples?: Record<string, { value: object }> }
	>;
}
interface Operation {
	requestBody?: Message;
	responses: Record<string, Message>;
}

/** A copy of a part of the document, with what each `$ref` refers to in its place. */
function resolve<T>(part: object): T {
	return JSON.parse(JSON.stringify(part), (_, value) => {
		if (!value?.$ref) return value;
		const { $ref, ...rest } = value;
		let at: object = document;
		for (const key of $ref.split("/").slice(1)) at = Reflect.get(at, key);
		return { ...resolve<object>(at), ...rest };
	});
}

const paths: Record<string, Record<string, Operation>> = resolve(
	document.paths,
);
const schemas: Record<"Plant" | "NewPlant" | "Error", Schema> = resolve(
	document.components.schemas,
);
const operations = Object.entries(paths).flatMap(([path, item]) =>
	Object.entries(item).flatMap(([method, { responses }]) => {
		const name = `${method.toUpperCase()} ${path}`;
		// A path has other members, too, such as `parameters`.
		return responses ? { name, responses } : [];
	}),
);

/** A Plant with the first example of each member. */
const example = Object.fromEntries(
	Object.entries(schemas.Plant.properties ?? {}).map(
		([name, { examples = [] }]) => [name, examples[0]],
	),
);

describe("the OpenAPI document", () => {
	it("has the interface of POST /plants", () => {
		expect(document).toMatchObject({
			openapi: "3.1.0",
			info: { license: { identifier: "MIT" } },
			// The origin that the document comes from, whatever the domain is.
			servers: [{ url: "/" }],
			security: [{ bearerAuth: [] }],
			components: {
				securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
			},
		});
		const operation = paths["/plants"]?.post;
		expect(operation).toMatchObject({
			operationId: "addPlant",
			requestBody: { required: true },
		});
		const json = (schema: Schema) => ({
			"application/json": expect.objectContaining({ schema }),
		});
		expect(operation?.requestBody?.content).toEqual(json(schemas.NewPlant));
		expect(operation?.responses[200]?.content).toEqual(json(schemas.Plant));
		expect(schemas.NewPlant.allOf).toContainEqual(schemas.Plant);
		expect(schemas.Error).toMatchObject({
			type: "object",
			required: expect.arrayContaining(["error", "message"]),
			properties: {
				error: { type: "integer", format: "int32" },
				message: { type: "string" },
			},
		});
	});

	it("has each route of the app, unless its response is 405", async () => {
		const headers = { Authorization: "Bearer test-token" };
		const routes = new Set<string>();
		for (const route of app.routes) {
			const path = route.path.replace(/:(\w+)({.+?})?(?=\/|$)/g, "{$1}");
			// A middleware has ALL, too. Without a route, its status is 404.
			const isAll = route.method === "ALL";
			const all = ["DELETE", "GET", "PATCH", "POST", "PUT"];
			for (const method of isAll ? all : [route.method]) {
				const url = path.replace(/{\w+}/g, "1");
				const { status } = await app.request(url, { method, headers }, env);
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
		const limit = MAX_BODY_BYTES.toLocaleString("en-US");
		const body = paths["/plants"]?.post?.requestBody;
		expect(body?.description).toContain(`at most ${limit} bytes`);
	});

	it("has an example of each member of Plant", () => {
		expect(Object.values(example)).not.toContain(undefined);
	});

	const ANNOTATION = /^(title|description|examples|deprecated)$/;
	/** A schema without annotations, and with sorted lists: their order has no meaning. */
	const comparable = (schema: object): unknown =>
		JSON.parse(JSON.stringify(schema), (key, value) => {
			// The schema of a member of this name is an object.
			const isObject = !Array.isArray(value) && typeof value === "object";
			if (!isObject && ANNOTATION.test(key)) return undefined;
			return Array.isArray(value) ? value.sort() : value;
		});

	it.each([
		["Plant", schemas.Plant, Plant],
		["NewPlant", schemas.NewPlant, NewPlant],
	])(
		"has the schema %s that Zod validates",
		(_, { allOf = [], ...own }, zod) => {
			const parts = [own, ...allOf];
			const properties = parts.map(({ properties }) => properties);
			const documented = {
				...Object.assign({}, ...parts),
				required: parts.flatMap(({ required = [] }) => required),
				properties: Object.assign({}, ...properties),
			};
			const { $schema, ...validated } = z.toJSONSchema(zod, {
				io: "input",
				unrepresentable: "any",
				override({ zodSchema: { _zod }, jsonSchema }) {
					// JSON Schema has no bigint.
					if (_zod.def.type === "bigint") {
						Object.assign(jsonSchema, { type: "integer", format: "int64" });
					}
					// The format says the same.
					if (jsonSchema.format) delete jsonSchema.pattern;
				},
			});
			expect(comparable(documented)).toEqual(comparable(validated));
		},
	);
});

describe("each response of the OpenAPI document", () => {
	const plant = '{"id":42,"name":"Ficus"}';

	/** The requests that return the examples of a response. */
	const requests: Record<string, (() => Promise<Response>)[]> = {
		"POST /plants 200": [() => post(JSON.stringify({ id: 42, ...example }))],
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

	/** Whether a header has the schema. An integer is sent as text. */
	const matches = (schema: Schema) => (value: unknown) => {
		const parsed = schema.type === "integer" ? Number(value) : value;
		return z.fromJSONSchema(schema).safeParse(parsed).success;
	};

	it.each(documented)(
		"is what the Worker returns: $title",
		async ({ title, status, description, headers = {}, content = {} }) => {
			vi.spyOn(console, "error").mockReturnValue();
			const [{ schema, examples } = {}] = Object.values(content);
			const bodies = [];
			for (const send of requests[title] ?? []) {
				const res = await send();
				expect(res.status).toBe(status);
				expect([res.headers.get("Content-Type")]).toEqual(Object.keys(content));
				const names = ["Content-Type", ...Object.keys(headers)];
				expect(new Set(res.headers.keys())).toEqual(
					new Set(names.map((name) => name.toLowerCase())),
				);
				for (const [name, header] of Object.entries(headers)) {
					const value = res.headers.get(name);
					expect(header.required).toBe(true);
					expect(value).toSatisfy(matches(header.schema));
					expect(header.example ?? value).toSatisfy(matches(header.schema));
				}
				bodies.push(await res.json<{ error?: number }>());
			}
			const named = Object.values(examples ?? { plant: { value: example } });
			const values = named.map(({ value }) => value);
			expect(bodies, "see requests above").toHaveLength(values.length);
			expect(bodies).toEqual(expect.arrayContaining(values));
			if (status < 400) return;
			expect(schema).toEqual(schemas.Error);
			for (const { error } of bodies) expect(description).toContain(`${error}`);
		},
	);
});
