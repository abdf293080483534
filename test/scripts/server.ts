// Servers on this machine.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import type { KVNamespace } from "@cloudflare/workers-types";
import { onTestFinished } from "vitest";
import type { TestHarness } from "wrangler";

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

/** Serves what Wrangler needs of Cloudflare's API for `wrangler kv`: Miniflare's KV, which is empty. */
export async function serveKv(harness: TestHarness) {
	const { url } = await harness.listen();
	const api = new URL("/cdn-cgi/local/explorer/api", url).href;
	const worker = harness.getWorker<{ PLANTS: KVNamespace }>();
	const { PLANTS } = await worker.getEnv();
	const { keys } = await PLANTS.list();
	await Promise.all(keys.map(({ name }) => PLANTS.delete(name)));

	const origin = serve(async (req, res) => {
		const path = `${req.url}`.replace(/^\/accounts\/[^/]+/, "");
		kv.requests.push(`${req.method} ${path}`);
		const request = new Request(api + path, {
			method: `${req.method}`,
			headers: { "Content-Type": "application/json" },
			body: req.method === "GET" ? null : await buffer(req),
		});
		try {
			const response = await kv.intercept(request, fetch, req.socket);
			res.writeHead(response.status).end(await response.bytes());
		} catch {
			res.destroy(); // The connection ends.
		}
	});

	const kv = {
		PLANTS,
		requests: [] as string[],
		/** What Miniflare does not do, if a test sets it. */
		intercept: (
			request: Request,
			next: typeof fetch,
			_connection: Socket,
		): Promise<Response> => next(request),
		/** With these, Wrangler uses this server. */
		variables: {
			CLOUDFLARE_API_BASE_URL: origin,
			CLOUDFLARE_ACCOUNT_ID: "x",
			CLOUDFLARE_API_TOKEN: "x",
		},
	};
	return kv;
}
