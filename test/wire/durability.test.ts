import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import {
	checked,
	create,
	type Sample,
	sample,
	send,
	withLength,
} from "./client.ts";
import { build, type Home, serve, storedIn } from "./service.ts";

// A build, and a process that starts, take seconds on a busy machine.
vi.setConfig({ testTimeout: 30_000, hookTimeout: 60_000 });

/** Each sends one create after the other, on a connection of its own each time. */
const CLIENTS = 32;
/** The first clients send all their creates with one id each, their own. */
const REPEATERS = 8;
/** Answers in a round before the kill. */
const ANSWERS = 200;

let home: Home;
let child: ChildProcess | undefined;

beforeAll(async () => {
	home = await build();
});

afterAll(async () => {
	if (child) await kill(child);
	await home?.remove();
});

/** What the store holds for certain, by key: the last plant that was answered 200. */
const answered = new Map<string, string>();
/** What was sent last for a key, and not answered: it may be in the store or not. */
const unanswered = new Map<string, string>();
let creates = 0;

/** A plant unlike all others, of up to 8 KiB. */
function nextSample(client: number): Sample {
	creates += 1;
	const id = client < REPEATERS ? client : 1_000 + creates;
	return sample(id, `plant ${creates} `.padEnd((creates * 997) % 8_192, "."));
}

async function createUntilKilled(
	port: number,
	client: number,
	onAnswer: () => void,
) {
	for (;;) {
		const next = nextSample(client);
		unanswered.set(next.key, next.plant);
		const answer = await send(port, withLength(next)).answer.catch(
			() => undefined,
		);
		if (!answer) return;
		expect(checked(answer)).toMatchObject({ status: 200, body: next.plant });
		unanswered.delete(next.key);
		answered.set(next.key, next.plant);
		onAnswer();
	}
}

async function start(): Promise<number> {
	child = fork(new URL("child.ts", import.meta.url), [home.path], {
		detached: true,
		// The runtime's temporary files, which nobody removes after a kill, go with the directory.
		env: { ...process.env, TMPDIR: home.path, TEMP: home.path },
	});
	const [port] = await once(child, "message");
	return port;
}

/** Kills the process and its child, workerd, which runs the Worker and holds the store. */
async function kill(victim: ChildProcess): Promise<void> {
	const { pid } = victim;
	if (pid === undefined || victim.signalCode) return;
	const gone = once(victim, "exit");
	if (process.platform === "win32")
		execFileSync("taskkill", ["/pid", `${pid}`, "/t", "/f"]);
	else process.kill(-pid, "SIGKILL"); // detached: so it leads a group, and workerd is in it
	await gone;
}

it.each([1, 2, 3])(
	"has every plant that was answered 200 after a kill, whole: round %i",
	async () => {
		const port = await start();
		let answers = 0;
		const onAnswer = () => {
			answers += 1;
			if (answers === ANSWERS && child) void kill(child);
		};
		const clients = Array.from({ length: CLIENTS }, (_, client) =>
			createUntilKilled(port, client, onAnswer),
		);
		// Each ends when its connection does: when workerd is gone.
		await Promise.all(clients);
		expect(answers).toBeGreaterThanOrEqual(ANSWERS);
		expect(unanswered.size).toBe(CLIENTS);

		const again = await serve(home.path);
		try {
			const stored = await storedIn(again);
			for (const [key, plant] of unanswered)
				if (stored[key] === plant) answered.set(key, plant);
			expect(stored).toEqual(Object.fromEntries(answered));
			unanswered.clear();
			const next = nextSample(0);
			expect(await create(again.port, withLength(next))).toMatchObject({
				status: 200,
			});
			answered.set(next.key, next.plant);
		} finally {
			await again.stop();
		}
	},
);
