import { Validator } from "@cfworker/json-schema";
import openapi from "../src/openapi.json" with { type: "json" };

/** An answer as a client has it: its body read whole, as text. */
export interface Answer {
	status: number;
	headers: Headers;
	body: string;
}

interface Described {
	headers?: Record<string, { schema: object }>;
	content: { "application/json": { schema: object } };
}

const responses: Record<string, Described> & { 500: Described } =
	openapi.paths["/plants"].post.responses;

/** What OpenAPI cannot say of a description with one operation: the answers to all else. */
const elsewhere: Record<string, Described> = {
	...responses,
	200: {
		content: {
			"application/json": { schema: { type: "object", required: ["openapi"] } },
		},
	},
	404: responses[500],
	405: {
		...responses[500],
		headers: { Allow: { schema: { pattern: "^(POST|GET, HEAD)$" } } },
	},
};

/**
 * Holds an answer of the service against its description: status, media type, headers and body.
 *
 * @throws {Error} that names what differs
 */
export function checkAnswer(
	method: string,
	path: string,
	answer: Answer,
): void {
	const isCreate = method === "POST" && /^\/(p|%70)lants(\?|$)/.test(path);
	const described = (isCreate ? responses : elsewhere)[answer.status];
	if (!described) throw new Error(`status ${answer.status} is not described`);
	for (const [name, { schema }] of Object.entries(described.headers ?? {})) {
		check(name, answer.headers.get(name), schema);
	}
	check("Content-Type", answer.headers.get("Content-Type"), {
		const: "application/json",
	});
	if (method === "HEAD") return;
	const body: unknown = JSON.parse(answer.body);
	check("body", body, described.content["application/json"].schema);
	if (answer.status !== 200) {
		// The status repeats `error`, but that 400 stands for each fault of a request.
		const { error } = body as { error: number };
		const expected = [413, 415, 422].includes(error) ? 400 : error;
		check("error", answer.status, { const: expected });
	}
}

function check(what: string, value: unknown, schema: object): void {
	const { valid, errors } = new Validator(
		{ ...schema, components: openapi.components },
		"2020-12",
	).validate(value);
	if (!valid) {
		throw new Error(
			`${what} ${JSON.stringify(value)}: ${errors.map((e) => e.error).join(" ")}`,
		);
	}
}
