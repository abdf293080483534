import { connect, type Socket } from "node:net";
import { type Answer, checkAnswer } from "../contract";
import { TOKEN } from "./service.ts";

/** A plant as a client sends it, and as the service stores and answers it. */
export interface Sample {
	key: string;
	sent: string;
	plant: string;
}

export function sample(id: number, name: string): Sample {
	return {
		key: `${id}`,
		sent: JSON.stringify({ id, name }),
		plant: JSON.stringify({ name }),
	};
}

/** The head of a create; `headers` come after the token and the media type. */
export function head(...headers: string[]): string {
	const all = [
		"POST /plants HTTP/1.1",
		"Host: plants.example",
		`Authorization: Bearer ${TOKEN}`,
		"Content-Type: application/json",
		...headers,
	];
	return `${all.join("\r\n")}\r\n\r\n`;
}

export function withLength({ sent }: Sample, ...headers: string[]): string {
	return head(`Content-Length: ${sent.length}`, ...headers) + sent;
}

export const CHUNKED = "Transfer-Encoding: chunked";

export function chunk(data: string): string {
	return `${data.length.toString(16)}\r\n${data}\r\n`;
}

/**
 * Sends bytes as they are over a connection of their own.
 *
 * @returns the socket, and the answer as soon as the whole of it is there; the answer
 *   rejects when the connection ends before that
 */
export function send(
	port: number,
	bytes: string,
): { socket: Socket; answer: Promise<Answer> } {
	const socket = connect(port, "127.0.0.1");
	socket.write(bytes, "latin1");
	const answer = new Promise<Answer>((resolve, reject) => {
		let received = "";
		socket.setEncoding("latin1").on("data", (data: string) => {
			received += data;
			const whole = parse(received);
			if (!whole) return;
			resolve(whole);
			socket.destroy();
		});
		socket.on("error", reject);
		socket.on("close", () =>
			reject(new Error(`the connection ended after "${received}"`)),
		);
	});
	return { socket, answer };
}

/** Sends a create, and holds the answer against the document. */
export async function create(port: number, bytes: string): Promise<Answer> {
	return checked(await send(port, bytes).answer);
}

export function checked(answer: Answer): Answer {
	checkAnswer("POST", "/plants", answer);
	return answer;
}

/** The answer in `received`, or undefined while it is not whole. */
function parse(received: string): Answer | undefined {
	const end = received.indexOf("\r\n\r\n");
	if (end < 0) return undefined;
	const [status = "", ...lines] = received.slice(0, end).split("\r\n");
	const headers = new Headers();
	for (const line of lines) {
		const colon = line.indexOf(":");
		headers.append(line.slice(0, colon), line.slice(colon + 1));
	}
	const body = received.slice(end + 4);
	const length = Number(headers.get("content-length") ?? Number.NaN);
	if (Number.isNaN(length))
		throw new Error(`no Content-Length in "${received}"`);
	return body.length < length
		? undefined
		: { status: Number(status.split(" ")[1]), headers, body };
}
