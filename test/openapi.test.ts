import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { MAX_BYTES } from "../src/body";
import app from "../src/index";
import openapi from "../src/openapi.json";
import { NewPlant, Plant } from "../src/plant";
import { post, withPut } from "./request";

const { responses, requestBody } = openapi.paths["/plants"].post;
const examples = requestBody.content["application/json"].examples;

describe("GET /openapi.json", () => {
	it("returns the OpenAPI document with the origin of the request as server", async () => {
		const url = "https://plants.example.workers.dev/openapi.json";
		const res = await app.request(url, {}, env);
		expect(res.status).toBe(200);
		expect(res.headers.get("Content-Type")).toBe("application/json");
		expect(await res.json()).toEqual({
			...openapi,
			servers: [{ url: "https://plants.example.workers.dev" }],
		});
	});

	it("returns Access-Control-Allow-Origin, which POST /plants does not", async () => {
		const document = await app.request("/openapi.json", {}, env);
		expect(document.headers.get("Access-Control-Allow-Origin")).toBe("*");
		const created = await post('{"id":1,"name":"Ficus"}');
		expect(created.headers.get("Access-Control-Allow-Origin")).toBeNull();
	});

	it("returns 200 without the secret", async () => {
		const res = await app.request("/openapi.json", {}, { PLANTS: env.PLANTS });
		expect(res.status).toBe(200);
	});

	it("returns no body for HEAD", async () => {
		const res = await app.request("/openapi.json", { method: "HEAD" }, env);
		expect(res.status).toBe(200);
		expect(await res.text()).toBe("");
	});

	it.each(["POST", "DELETE", "OPTIONS"])(
		"returns 405 for %s without a token",
		async (method) => {
			const res = await app.request("/openapi.json", { method }, env);
			expect(res.status).toBe(405);
			expect(res.headers.get("Allow")).toBe("GET, HEAD");
			expect(await res.json()).toEqual({
				error: 405,
				message: "Send a GET request.",
			});
		},
	);
});

describe("the OpenAPI document", () => {
	it("has one operation, POST /plants, with bearerAuth", () => {
		expect(openapi).toMatchObject({
			openapi: "3.1.0",
			info: { version: "1.0.0", license: { identifier: "MIT" } },
			security: [{ bearerAuth: [] }],
			components: {
				securitySchemes: { bearerAuth: { type: "http", scheme: "bearer" } },
			},
		});
		expect(Object.keys(openapi.paths)).toEqual(["/plants"]);
		expect(Object.keys(openapi.paths["/plants"])).toEqual(["post"]);
	});

	const withoutDescriptions = (schema: object): unknown =>
		JSON.parse(
			JSON.stringify(schema, (key, value) =>
				key === "description" ? undefined : value,
			),
		);

	it.each([
		["Plant", Plant],
		["NewPlant", NewPlant],
	] as const)("has the schema %s that Zod validates", (name, zod) => {
		const { $schema, ...schema } = z.toJSONSchema(zod, {
			io: "input",
			unrepresentable: "any",
			// JSON Schema has no bigint.
			override({ zodSchema: { _zod }, jsonSchema }) {
				if ("format" in _zod.def && _zod.def.format === "int64") {
					Object.assign(jsonSchema, { type: "integer", format: "int64" });
				}
			},
		});
		expect(withoutDescriptions(openapi.components.schemas[name])).toEqual(
			schema,
		);
	});

	it("has the schema Error of the interface", () => {
		expect(withoutDescriptions(openapi.components.schemas.Error)).toEqual({
			type: "object",
			required: ["error", "message"],
			properties: {
				error: { type: "integer", format: "int32" },
				message: { type: "string" },
			},
		});
	});
});

describe("the examples of responses", () => {
	const down = withPut(() => Promise.reject(new Error("KV is down")));
	const plant = JSON.stringify(examples.plant.value);

	/** For each example of the OpenAPI document, a request that returns it. */
	const requests: Record<string, () => Response | Promise<Response>> = {
		"200 plant": () => post(plant),
		"200 untagged": () => post(JSON.stringify(examples.untagged.value)),
		"400 notJson": () => post('{"id":42,"name":"Ficus",}'),
		"400 tooLarge": () => post(" ".repeat(MAX_BYTES + 1)),
		"400 mediaType": () => post(plant, { "Content-Type": "text/plain" }),
		"400 notNewPlant": () => post('{"id":1.5}'),
		"401 missing": () => post(plant, { Authorization: "" }),
		"401 invalid": () => post(plant, { Authorization: "Bearer other" }),
		"500 internal": () => post(plant, {}, { ACCESS_TOKEN: "" }),
		"503 store": () => post(plant, {}, down),
	};
	const documented = Object.entries(responses).flatMap(([status, response]) =>
		Object.entries(response.content["application/json"].examples).map(
			([name, { value }]) => ({
				name: `${status} ${name}`,
				status: Number(status),
				value,
				headers: new Map<string, { schema: { pattern: string } }>(
					Object.entries("headers" in response ? response.headers : {}),
				),
			}),
		),
	);

	it("each have a request in this test", () => {
		expect(documented.map(({ name }) => name)).toEqual(Object.keys(requests));
	});

	it.each(documented)(
		"include what the Worker returns: $name",
		async (example) => {
			vi.spyOn(console, "error").mockReturnValue();
			const res = await requests[example.name]?.();
			expect(res?.status).toBe(example.status);
			expect(res?.headers.get("Content-Type")).toBe("application/json");
			for (const [name, { schema }] of example.headers) {
				expect(res?.headers.get(name)).toMatch(new RegExp(schema.pattern));
			}
			expect(await res?.json()).toEqual(example.value);
		},
	);
});
