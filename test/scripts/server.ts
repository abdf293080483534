// Servers on this machine.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Serves HTTP until the test is finished. Returns the origin. */
export function serve(listener: RequestListener): string {
	const server = createServer(listener).listen(0);
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return `http://localhost:${port}`;
}

interface Result {
	status?: number;
	errors?: { code: number; message: string }[];
	result?: unknown;
}

const failure = (status: number, message: string): Result => ({
	status,
	errors: [{ code: 10_000, message }],
});

/** Serves what Wrangler needs of Cloudflare's API for `wrangler kv`: one namespace. */
export function serveKv() {
	const origin = serve(async (req, res) => {
		const path = `${req.url}`.split("?")[0] ?? "";
		const body = await text(req);
		kv.requests.push(`${req.method} ${path}`);
		const { status = 200, ...response } =
			(await kv.intercept(path, req.socket)) ?? respond(path, body);
		const success = status === 200;
		const json = { success, errors: [], messages: [], result: null };
		res.writeHead(status).end(JSON.stringify({ ...json, ...response }));
	});

	function respond(path: string, body: string): Result {
		const { getLimit, plants, unwritten } = kv;
		// wrangler.toml has no id: Wrangler looks into the Worker.
		if (path.endsWith("/scripts/plants/settings")) {
			const binding = { type: "kv_namespace", name: "PLANTS" };
			return {
				result: { bindings: [{ ...binding, namespace_id: "of-plants" }] },
			};
		}
		if (!path.includes("/namespaces/of-plants/")) return failure(404, path);
		if (path.endsWith("/keys")) {
			// KV sorts the keys, and lists a deleted one for a minute.
			const names = [...plants.keys(), "deleted"].sort();
			return { result: names.map((name) => ({ name })) };
		}
		if (path.endsWith("/bulk/get")) {
			const { keys } = JSON.parse(body) as { keys: string[] };
			if (keys.length > 100) return failure(400, "more than 100 keys");
			const entries = keys.map((key) => [key, plants.get(key) ?? null]);
			if (entries.join("").length > getLimit) {
				return failure(413, "Total size of request exceeds the limit of 25MB");
			}
			kv.keysRead.push(...keys);
			return { result: { values: Object.fromEntries(entries) } };
		}
		if (path.endsWith("/bulk")) {
			for (const { key, value } of JSON.parse(body)) {
				if (key !== unwritten) plants.set(key, value);
			}
			return { result: {} };
		}
		return failure(404, path);
	}

	const kv = {
		/** Values by key. */
		plants: new Map<string, string>(),
		/** The key that a put does not write, although it reports success. */
		unwritten: "",
		/** How many bytes a bulk get returns at once. */
		getLimit: 25e6,
		keysRead: [] as string[],
		requests: [] as string[],
		/** What happens on the platform instead, if a test sets it. */
		intercept: (
			_path: string,
			_connection: Socket,
		): Result | Promise<Result> | undefined => undefined,
		/** With these, Wrangler uses this server. */
		variables: {
			CLOUDFLARE_API_BASE_URL: origin,
			CLOUDFLARE_ACCOUNT_ID: "x",
			CLOUDFLARE_API_TOKEN: "x",
		},
	};
	return kv;
}
