// What the tests of the scripts share: a checkout of their own, and KV behind Cloudflare's API.
import { spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, vi } from "vitest";
import { ONE_ENVIRONMENT } from "../node/second-environment.ts";

const COPIED = ".dev.vars.example package.json public scripts src";
const LINKED = "@hono hono swagger-ui-dist wrangler zod";

/** The command of a line such as `save --local` or `wrangler kv key list`, for this Node. */
export function command(line: string): string[] {
	const [name, ...args] = line.split(" ");
	const isWrangler = name === "wrangler";
	const path = isWrangler
		? "node_modules/wrangler/bin/wrangler.js"
		: `scripts/${name}.mjs`;
	return [process.execPath, path, ...args];
}

/** Serves HTTP on this machine until the test is finished. Returns the origin. */
export function serve(listener: RequestListener): string {
	const server = createServer(listener).listen(0);
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const { port } = server.address() as AddressInfo;
	return `http://localhost:${port}`;
}

/**
 * Copies this checkout without git, with a wrangler.toml of its own. Its commands get `variables`, and
 * none of the developer.
 */
export function newCheckout(variables: Record<string, string> = {}) {
	const folder = fs.realpathSync(fs.mkdtempSync(join(tmpdir(), "plants-")));
	onTestFinished(() => fs.rmSync(folder, { recursive: true }));
	const top = `${folder}/checkout`;
	for (const path of COPIED.split(" ")) {
		fs.cpSync(path, `${top}/${path}`, { recursive: true });
	}
	fs.writeFileSync(`${top}/wrangler.toml`, ONE_ENVIRONMENT);
	fs.mkdirSync(`${top}/node_modules/.bin`, { recursive: true });
	fs.mkdirSync(`${folder}/temp`);
	for (const name of LINKED.split(" ")) {
		const path = resolve("node_modules", name);
		fs.symlinkSync(path, `${top}/node_modules/${name}`);
	}
	const env = {
		HOME: folder,
		TMPDIR: `${folder}/temp`,
		PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
		...variables,
	};

	/** Starts a program in the checkout, with nothing to read. */
	function start(command: string[]) {
		const [program = "", ...args] = command;
		const child = spawn(program, args, {
			cwd: top,
			env,
			stdio: ["ignore", "pipe", "pipe"],
			// The end of the test ends its Wrangler, too.
			detached: true,
		});
		onTestFinished(() => {
			try {
				process.kill(-Number(child.pid), "SIGKILL");
			} catch (error) {
				expect(error).toMatchObject({ code: "ESRCH" }); // They have ended.
			}
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr]) {
			stream.setEncoding("utf8").on("data", (data) => {
				output += data;
			});
		}
		const ended = once(child, "close").then(([status]) => ({
			status,
			output: output.trimEnd(),
		}));
		return { ended, kill: (signal: NodeJS.Signals) => child.kill(signal) };
	}

	/** Runs a program, which must exit with this status. Returns its output. */
	async function runExpecting(expected: number, command: string[]) {
		const { output, status } = await start(command).ended;
		expect(status, `${command.join(" ")}\n${output}`).toBe(expected);
		return output;
	}

	return {
		top,
		start,
		succeed: vi.defineHelper((...command: string[]) =>
			runExpecting(0, command),
		),
		fail: vi.defineHelper((...command: string[]) => runExpecting(1, command)),
		ls: (path = "") => fs.readdirSync(join(top, path)),
		read: (path: string) => fs.readFileSync(join(top, path), "utf8"),
		write: (path: string, text: string) =>
			fs.writeFileSync(join(top, path), text),
	};
}

/** Serves Cloudflare's API on this machine: a KV namespace for each Worker that is named. */
export function serveKv() {
	const origin = serve(async (req, res) => {
		const path = `${req.url}`.slice(1).split("?")[0] ?? "";
		const request = `${req.method} ${path}`;
		const body = await text(req);
		kv.requests.push(request);
		const { status = 200, ...response } =
			(await kv.intercept(request, req.socket)) ?? respond(request, body);
		const success = status === 200;
		const json = { success, errors: [], messages: [], result: null };
		res.writeHead(status).end(JSON.stringify({ ...json, ...response }));
	});

	interface Result {
		status?: number;
		errors?: { code: number; message: string }[];
		result?: unknown;
	}
	const tooLarge = (limit: string): Result => {
		const message = `Total size of request exceeds the limit of ${limit}`;
		return { status: 413, errors: [{ code: 10_000, message }] };
	};

	function respond(request: string, body: string): Result {
		const { plants, unwritten } = kv;
		const worker = /scripts\/(\S+)\/settings$/.exec(request)?.[1];
		if (worker) {
			const namespace = { type: "kv_namespace", namespace_id: `of-${worker}` };
			return { result: { bindings: [{ name: "PLANTS", ...namespace }] } };
		}
		const [, pause] = /pause\/(\d+)$/.exec(request) ?? [];
		if (pause) {
			kv.paused += Number(pause);
			return {};
		}
		if (request.endsWith("/keys")) {
			// KV sorts the keys, and lists a deleted one for a minute.
			const names = [...plants.keys(), "deleted"].sort();
			return { result: names.map((name) => ({ name })) };
		}
		if (request.endsWith("/bulk/get")) {
			const { keys } = JSON.parse(body) as { keys: string[] };
			expect(keys.length).toBeLessThanOrEqual(100);
			kv.keysRead.push(...keys);
			const entries = keys.map((key) => [key, plants.get(key) ?? null]);
			const size = entries.join("").length;
			if (size > kv.limits.get) return tooLarge("25MB");
			return { result: { values: Object.fromEntries(entries) } };
		}
		if (request.endsWith("/bulk")) {
			if (body.length > kv.limits.put) return tooLarge("100MB");
			for (const { key, value } of JSON.parse(body)) {
				if (key !== unwritten) plants.set(key, value);
			}
			return { result: {} };
		}
		return { status: 404, errors: [{ code: 7003, message: request }] };
	}

	const kv = {
		/** Values by key. */
		plants: new Map<string, string>(),
		/** The key that a put does not write. */
		unwritten: "",
		/** How many bytes KV takes at once. */
		limits: { get: 25e6, put: 100e6 },
		keysRead: [] as string[],
		/** How long restore.mjs has paused, in milliseconds: see clock.mjs. */
		paused: 0,
		requests: [] as string[],
		/** What happens on the platform instead, if a test sets it. */
		intercept: (
			_request: string,
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
