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

const responses: Record<401 | 500, Described> & Record<string, Described> =
	openapi.paths["/plants"].post.responses;

const error = responses[500];
const allowing = (methods: string): Described => ({
	...error,
	headers: { Allow: { schema: { const: methods } } },
});

/** The answers that the document describes; for what it cannot describe, having one operation, those of the README. */
function describedOf(method: string, path: string): Record<string, Described> {
	if (path === "/openapi.json") {
		const schema = { type: "object", required: ["openapi"] };
		const document = { content: { "application/json": { schema } } };
		return { 200: document, 405: allowing("GET, HEAD") };
	}
	if (!/^\/(p|%70)lants(\?|$)/.test(path)) {
		return { 401: responses[401], 404: error, 500: error };
	}
	if (method !== "POST") {
		return { 401: responses[401], 405: allowing("POST"), 500: error };
	}
	return responses;
}

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
	const described = describedOf(method, path)[answer.status];
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
	if (answer.status === 200) check("body", body, { not: { required: ["id"] } });
	else {
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
