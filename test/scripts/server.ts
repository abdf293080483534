// Servers on this machine.
import {
	createServer,
	type RequestListener,
	type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** Serves HTTP until the test is finished. Returns the origin. */
export function serve(listener: RequestListener): string {
	// However long a slow machine takes to start Wrangler, the connection of a script stays open.
	const server = createServer({ keepAliveTimeout: 0 }, listener);
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

/** The response to a bulk put that stored all plants. */
export const storedAll = ({ length }: object[]) =>
	success({ successful_key_count: length, unsuccessful_keys: [] });

interface Pair {
	key: string;
	value: string;
}

/** Serves what save and restore need of Cloudflare's API. The account x of the login has the namespace. */
export function serveKv() {
	const plants = new Map<string, string>();
	const namespace = "/accounts/x/storage/kv/namespaces/PLANTS";

	async function respond(request: Request) {
		const { pathname, searchParams } = new URL(request.url);
		if (pathname.startsWith("/user")) return success({ status: "active" });
		const accounts = kv.accounts.map((id) => ({ id, account: { id } }));
		if (!pathname.startsWith("/accounts/")) return success(accounts);
		switch (`${request.method} ${pathname}`) {
			case `GET ${namespace}/keys`: {
				const start = Number(searchParams.get("cursor"));
				const end = start + Number(searchParams.get("limit") ?? 1000);
				const names = [...plants.keys()].sort();
				const result = names.slice(start, end).map((name) => ({ name }));
				const cursor = end < names.length ? `${end}` : "";
				return Response.json({
					success: true,
					result,
					result_info: { cursor },
				});
			}
			case `POST ${namespace}/bulk/get`: {
				const { keys } = (await request.json()) as { keys: string[] };
				if (keys.length > 100) return failure(400, "At most 100 keys");
				const values = keys.map((key) => [key, plants.get(key) ?? null]);
				return success({ values: Object.fromEntries(values) });
			}
			case `PUT ${namespace}/bulk`: {
				const pairs = (await request.json()) as Pair[];
				if (pairs.length > 10_000) return failure(400, "At most 10,000 pairs");
				for (const { key, value } of pairs) plants.set(key, value);
				return storedAll(pairs);
			}
		}
		return failure(404, "Not found");
	}

	const origin = serve(async (req, res) => {
		const { method = "", headers } = req;
		kv.requests.push(`${method} ${req.url}`);
		const request = new Request(origin + req.url, {
			method,
			headers: {
				"Content-Type": `${headers["content-type"]}`,
				Authorization:
					headers.authorization ??
					`${headers["x-auth-email"]} ${headers["x-auth-key"]}`,
			},
			body: method === "GET" ? null : await buffer(req),
		});
		const response = await kv.intercept(request, respond, res);
		if (!response) return;
		const Location = response.headers.get("Location") ?? [];
		res
			.writeHead(response.status, { Location })
			.end(Buffer.from(await response.arrayBuffer()));
	});

	const kv = {
		plants,
		requests: [] as string[],
		accounts: ["x"],
		/** A different response, if a test sets it. Without a response, it has used `res`. */
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
