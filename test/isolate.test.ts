// What a request must not change for the others of its isolate.
import { expect, it, vi } from "vitest";
import { chunked, plant, post, stored } from "./request";

it.each([
	["charCodeAt", String.prototype],
	["push", Array.prototype],
	["exec", RegExp.prototype],
])(
	"returns 200 after the first request ended in %s",
	async (name, prototype) => {
		vi.spyOn(console, "error").mockReturnValue();
		const builtIn = Reflect.get(prototype, name);
		// The platform can end a request anywhere: here, in each call of a built-in.
		for (let call = 0, ended = true; ended; call++) {
			ended = false;
			let calls = 0;
			function endRequest(this: unknown, ...args: unknown[]) {
				if (calls++ < call) return builtIn.apply(this, args);
				ended = true;
				throw new Error("the request ended");
			}
			// A new isolate has new modules.
			vi.resetModules();
			const { post } = await import("./request");
			Reflect.set(prototype, name, endRequest);
			await post('{"x":["",1,"",2,""],"id":1e3,"name":""}').catch(() => {});
			Reflect.set(prototype, name, builtIn);

			const id = `${9007199254740993n + 2n * BigInt(call)}`;
			const res = await post(`{"id":${id},"name":"","x":{"id":1.5}}`);
			expect(res.status).toBe(200);
			expect(await stored()).toHaveProperty(id);
		}
	},
);

it("keeps two requests at the same time apart", async () => {
	const plants = ["one", "two"].map((name, index) => [
		`${9007199254740993n + 2n * BigInt(index)}`,
		JSON.stringify({ name: name.repeat(200_000) }),
	]);
	await Promise.all(
		plants.map(([id, plant]) =>
			post(chunked([`{"id":${id},`, plant?.slice(1) ?? ""])),
		),
	);
	expect(await stored()).toEqual(Object.fromEntries(plants));
});

it("compares the token with the secret that it has now", async () => {
	for (const secret of ["one", "two"]) {
		for (const token of ["one", "two"]) {
			const headers = { Authorization: `Bearer ${token}` };
			const res = await post(plant, headers, { ACCESS_TOKEN: secret });
			expect(res.status).toBe(token === secret ? 200 : 401);
		}
	}
});
