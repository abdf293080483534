import { fork } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { expect, it } from "vitest";
import { build, serve } from "./server.ts";

const plantOf = (id: number) => ({ name: `plant ${id} `.repeat(500) });

it.skipIf(process.platform === "win32")(
	"keeps every plant that it returned 200 for after kill -9",
	async () => {
		const directory = build();
		const created = new Set<number>();
		let nextId = 0;

		for (const total of [300, 600]) {
			// With detached, the kill reaches workerd, which is a child of the child.
			const child = fork(new URL("server.ts", import.meta.url), [directory], {
				detached: true,
				env: { ...process.env, TMPDIR: directory },
			});
			const [port] = await once(child, "message");

			const createPlants = async () => {
				for (;;) {
					const id = nextId++;
					const res = await fetch(`http://127.0.0.1:${port}/plants`, {
						method: "POST",
						headers: {
							Authorization: "Bearer test-token",
							"Content-Type": "application/json",
						},
						body: JSON.stringify({ id, ...plantOf(id) }),
					}).catch(() => undefined);
					if (!res) return; // The server is gone.
					expect(res.status).toBe(200);
					created.add(id);
					if (created.size === total)
						process.kill(-Number(child.pid), "SIGKILL");
				}
			};
			await Promise.all(Array.from({ length: 16 }, createPlants));

			const server = await serve(directory);
			for (let id = 0; id < nextId; id++) {
				const value = await server.plants.get(`${id}`, "text");
				const plant = JSON.stringify(plantOf(id));
				if (created.has(id)) expect(value).toBe(plant);
				else expect([null, plant]).toContain(value);
			}
			await server.stop();
		}
		rmSync(directory, { recursive: true });
	},
);
