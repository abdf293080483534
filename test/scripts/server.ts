// Servers on this machine.
import {
	createServer,
	type RequestListener,
	type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { KVNamespace } from "@cloudflare/workers-types";
import { onTestFinished } from "vitest";
import type { TestHarness } from "wrangler";

/** Serves HTTP until the test is finished. Returns the origin. */
export function serve(listener: RequestListener): string {
	// While a slow machine starts Wrangler, the connection of a script stays open.
	const server = createServer({ keepAliveTimeout: 120_000 }, listener);
	server.listen(0);
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return `http://localhost:${port}`;
}

export const success = (result: unknown) =>
	Response.json({ success: true, result });

/** Serves what save and restore need of Cloudflare's API: Miniflare's KV, which is empty. */
export async function serveKv(harness: TestHarness) {
	const { url } = await harness.listen();
	const api = new URL("/cdn-cgi/local/explorer/api", url).href;
	const worker = harness.getWorker<{ PLANTS: KVNamespace }>();
	const { PLANTS } = await worker.getEnv();

	async function getAll() {
		const { keys } = await PLANTS.list();
		const get = async ({ name = "" }) => [name, await PLANTS.get(name)];
		return Object.fromEntries(await Promise.all(keys.map(get)));
	}
	const { keys } = await PLANTS.list();
	await Promise.all(keys.map(({ name }) => PLANTS.delete(name)));

	// Deployed, the namespace has another id in wrangler.toml.
	const namespaces = await fetch(`${api}/storage/kv/namespaces`);
	const { result } = (await namespaces.json()) as { result: { id: string }[] };

	/** The account x of the login has the namespace. */
	async function respond(request: Request) {
		const { pathname, search } = new URL(request.url);
		if (pathname.startsWith("/user")) return success({ status: "active" });
		const accounts = kv.accounts.map((id) => ({ id, account: { id } }));
		if (!pathname.startsWith("/accounts/")) return success(accounts);
		const path = pathname
			.replace("/accounts/x", "")
			.replace("/PLANTS/", `/${result[0]?.id}/`);
		return fetch(new Request(api + path + search, request));
	}

	const origin = serve(async (req, res) => {
		const { method = "", headers } = req;
		kv.requests.push(`${method} ${req.url}`);
		const request = new Request(origin + req.url, {
			method,
			headers: {
				"Content-Type": `${headers["content-type"]}`,
				Authorization: `${headers.authorization ?? headers["x-auth-key"]}`,
			},
			body: method === "GET" ? null : await buffer(req),
		});
		const response = await kv.intercept(request, respond, res);
		if (!response) return;
		const Location = response.headers.get("Location") ?? [];
		res.writeHead(response.status, { Location }).end(await response.bytes());
	});

	const kv = {
		PLANTS,
		getAll,
		requests: [] as string[],
		accounts: ["x"],
		/** What Miniflare does not do, if a test sets it. Without a response, it has used `res`. */
		intercept: (
			request: Request,
			next: typeof respond,
			_res: ServerResponse,
		): Promise<Response | undefined> => next(request),
		/** With these, Wrangler and the scripts use this server. */
		variables: {
			CLOUDFLARE_API_BASE_URL: origin,
			CLOUDFLARE_ACCOUNT_ID: "w",
			CLOUDFLARE_API_TOKEN: "quokka",
		},
	};
	return kv;
}

/** What Cloudflare's API returns when it fails. */
export function failure(status: number, message: string, headers = {}) {
	const errors = [{ code: 10_000, message }];
	return Response.json({ success: false, errors }, { status, headers });
}
