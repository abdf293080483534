// What docs/api.md shows. Its client runs as it stands, apart from the URL.
import { execFile } from "node:child_process";
import fs from "node:fs";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { build, start } from "../node/worker.ts";
import { newCheckout } from "./checkout.ts";
import { serve } from "./server.ts";

/** Runs the client against this origin. Returns what it prints. */
async function createPlant(origin: string): Promise<string> {
	const page = fs.readFileSync("docs/api.md", "utf8");
	const [, text = ""] = /```js\n(.*?)```/s.exec(page) ?? [];
	const program = text.replace("http://localhost:8787", origin);
	expect(program).toContain(origin);
	const { top, write } = newCheckout();
	write("client.mjs", program);
	const args = [`${top}/client.mjs`];
	const { stdout } = await promisify(execFile)(process.execPath, args);
	return stdout;
}

it("creates the plant with the largest id", async () => {
	const { top } = newCheckout();
	build(`${top}/build`);
	const server = await start(`${top}/build`, { ACCESS_TOKEN: "dev-token" });
	onTestFinished(() => server.stop());
	expect(await createPlant(server.origin)).toContain("Monstera");
	const value = await server.plants.get("9223372036854775807", "json");
	expect(value).toMatchObject({ name: "Monstera", tag: "indoor" });
});

it("has each member of NewPlant in the table of docs/api.md", () => {
	const text = fs.readFileSync("public/openapi.json", "utf8");
	const { properties } = JSON.parse(text).components.schemas.NewPlant;
	const page = fs.readFileSync("docs/api.md", "utf8");
	for (const name in properties) expect(page).toContain(`| \`${name}\` |`);
});

it("accepts a response that ends with a line feed", async () => {
	const origin = serve((_, res) => res.end('{"name":"Monstera"}\r\n'));
	expect(await createPlant(origin)).toContain("Monstera");
});

it.each([
	["503", 503, '{"error":503,"message":""}', "503, CF-Ray 8f2a-PRG: {"],
	["200 without a body", 200, "", "200, CF-Ray 8f2a-PRG: "],
	["200 with HTML", 200, "<html>", "200, CF-Ray 8f2a-PRG: <html>"],
	["200 that is cut", 200, '{"name":"M', '200, CF-Ray 8f2a-PRG: {"name":"M'],
	// Unlike a lost connection, this must not be sent again.
	["301 to a URL that returns 200", 301, "", "301, CF-Ray 8f2a-PRG: "],
])(
	"fails after one request that returns %s",
	async (_, status, body, error) => {
		const requests: string[] = [];
		const origin = serve((req, res) => {
			requests.push(`${req.method} ${req.url}`);
			const isFirst = requests.length === 1;
			const headers = { "CF-Ray": "8f2a-PRG", Location: "/other" };
			res.writeHead(isFirst ? status : 200, headers).end(isFirst ? body : "{}");
		});
		await expect(createPlant(origin)).rejects.toThrow(error);
		expect(requests).toEqual(["POST /plants"]);
	},
);
