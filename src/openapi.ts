// Not part of the bundle: `npm run openapi` writes the document into public/openapi.json.
import * as z from "zod/mini";
import { MAX_BODY_BYTES } from "./body";
import { exampleOf, NewPlant, Plant } from "./plant";

/** `npm run openapi` adds the examples: what the Worker returns. */
interface Content {
	schema: { $ref: string };
	examples?: Record<string, { summary: string; value: unknown }>;
}

interface Header {
	description: string;
	required: true;
	schema: { type: "string"; pattern: string };
	examples?: Record<string, { value: string | null }>;
}

interface ResponseObject {
	description: string;
	headers?: Record<string, Header>;
	content: Record<"application/json", Content>;
}

/** JSON with the schema of this name. */
const json = (name: "Plant" | "NewPlant" | "Error", more = {}) => ({
	"application/json": {
		schema: { $ref: `#/components/schemas/${name}` },
		...more,
	},
});

const responses: Record<number, ResponseObject> = {
	200: {
		description: "The plant is stored. The body is the plant without its `id`.",
		content: json("Plant"),
	},
	400: {
		description: [
			"The request is invalid, and nothing is stored. `error` tells why:",
			"- 400: the body is empty, or not JSON in UTF-8",
			"- 413: the body is too large",
			"- 415: the media type is not `application/json`",
			"- 422: the body is not a `NewPlant`",
		].join("\n"),
		content: json("Error"),
	},
	401: {
		description: "The bearer token is missing or wrong. `error` is 401.",
		headers: {
			"WWW-Authenticate": {
				description:
					'The challenge (RFC 6750 §3). With `error="invalid_token"`, the token is wrong.',
				required: true,
				schema: { type: "string", pattern: '^Bearer realm="plants"' },
			},
		},
		content: json("Error"),
	},
	403: {
		description:
			"The request came over http, not https, so others on the network can read its token. `error` is 403.",
		content: json("Error"),
	},
	500: {
		description:
			"Internal error: the request is not the cause. `error` is 500.",
		content: json("Error"),
	},
	503: {
		description:
			"KV failed. The plant may or may not be stored. Send the same request again. It may then replace a newer plant with the same `id`. `error` is 503.",
		headers: {
			"Retry-After": {
				description:
					"Seconds to wait before the request is sent again (RFC 9110 §10.2.3), up to 86,400. Above 60, stop, and tell the operator.",
				required: true,
				schema: { type: "string", pattern: "^[0-9]+$" },
			},
		},
		content: json("Error"),
	},
};

/** The JSON Schema of Zod types that JSON does not have. For any other, Zod throws. */
const JSON_TYPES: Record<string, z.core.JSONSchema.BaseSchema> = {
	bigint: { type: "integer", format: "int64" },
};

const jsonSchema = (schema: z.core.$ZodType) =>
	z.toJSONSchema(schema, {
		// Any target that Zod does not know: JSON Schema 2020-12, without $schema.
		target: "openapi-3.1",
		io: "input",
		unrepresentable: ({ zodSchema }) => JSON_TYPES[zodSchema._zod.def.type],
	});

/** The OpenAPI document (OpenAPI 3.1.0). */
export const document = {
	openapi: "3.1.0",
	info: {
		title: "Plants",
		version: "1.0.0",
		// Not in a summary, which OpenAPI 3.0 does not have.
		description:
			"Creates plants in a Workers KV namespace. Each request to `/plants` needs a bearer token. With a token, a method other than POST returns 405 with `Allow: POST`, and the body is an `Error`.",
		license: { name: "MIT", identifier: "MIT" },
	},
	// The origin that the document comes from, whatever the domain is.
	servers: [{ url: "/" }],
	security: [{ bearerAuth: [] }],
	tags: [{ name: "Plants", description: "Create plants" }],
	paths: {
		"/plants": {
			post: {
				tags: ["Plants"],
				operationId: "addPlant",
				summary: "Create a plant",
				description:
					"Stores the plant under its `id`, and replaces a plant with the same `id`. So the same request can be sent again. It may then replace a newer plant with the same `id`.",
				requestBody: {
					required: true,
					description: `JSON in UTF-8, at most ${MAX_BODY_BYTES.toLocaleString("en-US")} bytes. Other members are ignored. Of a repeated member, the last counts.`,
					// A tool that imports the document sends this, not an id of its own.
					content: json("NewPlant", { example: exampleOf(NewPlant) }),
				},
				responses,
			},
		},
	},
	components: {
		securitySchemes: {
			bearerAuth: {
				type: "http",
				scheme: "bearer",
				description: "An opaque token, not a JWT. Enter it without `Bearer`.",
			},
		},
		schemas: {
			Plant: jsonSchema(Plant),
			NewPlant: jsonSchema(NewPlant),
			Error: {
				type: "object",
				required: ["error", "message"],
				properties: {
					error: {
						type: "integer",
						format: "int32",
						description: "Numeric error value: an HTTP status code (RFC 9110)",
					},
					message: {
						type: "string",
						description: "Error message text, for a person",
					},
				},
			},
		},
	},
};
