// Not part of the bundle: `npm test -- -u` writes the document into public/openapi.json.
import * as z from "zod/mini";
import { MAX_BODY_BYTES } from "./body";
import { exampleOf, NewPlant, Plant } from "./plant";

/** The requests in `test/openapi.test.ts` have the names of the examples. */
type Examples = Record<string, { summary: string; value: object }>;

interface Content {
	schema: { $ref: string };
}

interface ResponseObject {
	description: string;
	headers?: Record<
		string,
		{
			description: string;
			required: true;
			schema: { type: "string"; pattern: string };
			/** The values that come with the examples of the body, under the same names. */
			examples: Record<string, { value: string }>;
		}
	>;
	content?: Record<string, Content & { examples: Examples }>;
}

interface Operation {
	tags: string[];
	operationId: string;
	summary: string;
	description: string;
	parameters?: object[];
	requestBody?: {
		required: boolean;
		description: string;
		content: Record<string, Content>;
	};
	responses: Record<string, ResponseObject>;
}

const schemaOf = (name: "Plant" | "NewPlant" | "Error") => ({
	$ref: `#/components/schemas/${name}`,
});

/** The body of a response. For an error, `value` is an `Error`. */
const json = (name: "Plant" | "Error", examples: Examples) => ({
	"application/json": { schema: schemaOf(name), examples },
});

/** The responses that each operation has. */
const commonResponses: Record<string, ResponseObject> = {
	401: {
		description: "The bearer token is missing or wrong. `error` is 401.",
		headers: {
			"WWW-Authenticate": {
				description:
					'The challenge (RFC 6750 §3). With `error="invalid_token"`, the token is wrong.',
				required: true,
				schema: { type: "string", pattern: '^Bearer realm="plants"' },
				examples: {
					missing: { value: 'Bearer realm="plants"' },
					invalid: {
						value: 'Bearer realm="plants", error="invalid_token"',
					},
				},
			},
		},
		content: json("Error", {
			missing: {
				summary: "The token is missing",
				value: {
					error: 401,
					message: "Send the header Authorization: Bearer <token>.",
				},
			},
			invalid: {
				summary: "The token is wrong",
				value: {
					error: 401,
					message: "The token is not valid.",
				},
			},
		}),
	},
	403: {
		description:
			"The request came over http, not https, so others on the network can read its token. `error` is 403.",
		content: json("Error", {
			http: {
				summary: "The request came over http",
				value: {
					error: 403,
					message:
						"Use https. Replace the token: over http, others can read it.",
				},
			},
		}),
	},
	500: {
		description:
			"Internal error: the request is not the cause. `error` is 500.",
		content: json("Error", {
			internal: {
				summary: "Internal error",
				value: {
					error: 500,
					message: "Internal error. Try again later.",
				},
			},
		}),
	},
};

/** The response 503 of an operation that uses KV. */
const kvFailed = (description: string, message: string): ResponseObject => ({
	description,
	headers: {
		"Retry-After": {
			description:
				"Seconds to wait before the request is sent again (RFC 9110 §10.2.3)",
			required: true,
			schema: { type: "string", pattern: "^[0-9]+$" },
			examples: { store: { value: "1" } },
		},
	},
	content: json("Error", {
		store: { summary: "KV failed", value: { error: 503, message } },
	}),
});

/** The operations by path and method. */
const paths: Record<string, Record<string, Operation>> = {
	"/plants": {
		post: {
			tags: ["Plants"],
			operationId: "addPlant",
			summary: "Create a plant",
			description:
				"Stores the plant under its `id`, and replaces a plant with the same `id`. So the same request can be sent again. It may then replace a newer plant of another client.",
			requestBody: {
				required: true,
				description: `JSON in UTF-8, at most ${MAX_BODY_BYTES.toLocaleString("en-US")} bytes. Other members are ignored. Of a repeated member, the last counts.`,
				content: { "application/json": { schema: schemaOf("NewPlant") } },
			},
			responses: {
				200: {
					description:
						"The plant is stored. The body is the plant without its `id`.",
					content: json("Plant", {
						stored: {
							summary: "The plant is stored",
							value: exampleOf(Plant),
						},
					}),
				},
				400: {
					description: [
						"The request is invalid, and nothing is stored. `error` tells why:",
						"- 400: the body is empty, or not JSON in UTF-8",
						"- 413: the body is too large",
						"- 415: the media type is not `application/json`",
						"- 422: the body is not a `NewPlant`",
					].join("\n"),
					content: json("Error", {
						empty: {
							summary: "The body is empty",
							value: { error: 400, message: "The body is empty." },
						},
						notJson: {
							summary: "The body is not JSON",
							value: {
								error: 400,
								message: "The body is not valid JSON (line 1 column 25).",
							},
						},
						tooLarge: {
							summary: "The body is too large",
							value: {
								error: 413,
								message: `The body has more than ${MAX_BODY_BYTES} bytes.`,
							},
						},
						mediaType: {
							summary: "The media type is not application/json",
							value: {
								error: 415,
								message: "Send the header Content-Type: application/json.",
							},
						},
						notNewPlant: {
							summary: "The body is not a NewPlant",
							value: {
								error: 422,
								message:
									"id: Invalid input: expected an integer from -9223372036854775808 to 9223372036854775807, received a number that is not an integer; name: Required",
							},
						},
					}),
				},
				...commonResponses,
				503: kvFailed(
					"KV failed. The plant may or may not be stored. Send the same request again. It may then replace a newer plant of another client. `error` is 503.",
					"The plant could not be stored. Send the same request again.",
				),
			},
		},
	},
};

/** What the document has for a type of Zod that JSON does not have. Without it, Zod throws. */
const JSON_TYPES: Record<string, z.core.JSONSchema.BaseSchema> = {
	bigint: { type: "integer", format: "int64" },
};

const jsonSchema = (schema: z.core.$ZodType) =>
	z.toJSONSchema(schema, {
		// Any target that Zod does not know: JSON Schema 2020-12, without $schema.
		target: "openapi-3.1",
		io: "input",
		unrepresentable: ({ zodSchema }) => JSON_TYPES[zodSchema._zod.def.type],
		override({ jsonSchema }) {
			// The format says the same.
			if (jsonSchema.format) delete jsonSchema.pattern;
		},
	});

/** The OpenAPI document (OpenAPI 3.1.0). */
export const document = {
	openapi: "3.1.0",
	info: {
		title: "Plants",
		version: "1.0.0",
		summary: "Creates plants in a Workers KV namespace.",
		description: [
			"Every request needs a bearer token, except for the page at `/`, its files and this document. With a token, another method on `/plants` returns 405 with `Allow: POST`, and another path returns 404.",
			"The body of an error is an `Error`. `error` is the HTTP status code (RFC 9110) that describes the error best.",
		].join("\n\n"),
		license: { name: "MIT", identifier: "MIT" },
	},
	// The origin that the document comes from, whatever the domain is.
	servers: [{ url: "/" }],
	security: [{ bearerAuth: [] }],
	tags: [{ name: "Plants", description: "Create plants" }],
	paths,
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
