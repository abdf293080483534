import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";

const executablePath =
	process.env.CHROME_PATH ??
	[
		"/usr/bin/google-chrome",
		"/usr/bin/chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	].find((path) => existsSync(path));

const directory = mkdtempSync(join(tmpdir(), "plants-"));

let dev: ChildProcess;
let browser: Browser;
let page: Page;
let origin: string;
let headers: Record<string, string> | undefined;

/** Console errors, such as those of the policy, and requests to another origin. */
const problems: string[] = [];

/** Runs `npm run dev`, and returns the origin that it prints. */
async function startDev(): Promise<string> {
	// With --host, requests have the domain that an operator adds to wrangler.toml.
	const options = `--port 0 --host plants.example.com --persist-to "${directory}"`;
	// With detached, stopDev reaches Wrangler and workerd, too.
	dev = spawn(`npm run dev -- ${options} 2>&1`, {
		shell: true,
		detached: true,
		// Another level does not print the origin.
		env: { ...process.env, TMPDIR: directory, WRANGLER_LOG: "log" },
	});
	let output = "";
	for await (const data of dev.stdout?.iterator({ destroyOnReturn: false }) ??
		[]) {
		output += data;
		const origin = /Ready on (http:\S+)/.exec(output)?.[1];
		if (origin) return origin;
	}
	throw new Error(`npm run dev ended:\n${output}`);
}

function stopDev(): void {
	if (dev?.pid && dev.exitCode === null) process.kill(-dev.pid, "SIGKILL");
	rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
}

beforeAll(async () => {
	if (!executablePath) throw new Error("Install Chromium, or set CHROME_PATH.");
	// After Ctrl-C, Vitest does not run afterAll.
	for (const event of ["SIGINT", "disconnect"]) process.on(event, stopDev);
	origin = await startDev();
	// Chromium's sandbox does not work for root.
	const chromiumSandbox = process.getuid?.() !== 0;
	const args = ["--host-resolver-rules=MAP plants.example.com 127.0.0.1"];
	browser = await chromium.launch({ executablePath, chromiumSandbox, args });
	page = await browser.newPage();
	page.on("pageerror", ({ message }) => problems.push(message));
	page.on("console", (message) => {
		const { url } = message.location();
		if (message.type() === "error") problems.push(`${url} ${message.text()}`);
	});
	page.on("request", (request) => {
		if (new URL(request.url()).origin !== origin) problems.push(request.url());
	});
	headers = (await page.goto(origin))?.headers();
});

afterAll(async () => {
	await browser?.close();
	stopDev();
});

/** Sends the form once. The page must then show status 200 and the plant. */
async function expectCreated(plant: object): Promise<void> {
	const operation = page.locator("#operations-Plants-addPlant");
	await operation.getByRole("button", { name: "Execute" }).click();
	const shown = operation.locator(".live-responses-table tbody");
	const response = async () => [
		await shown.locator(".response-col_status").textContent(),
		JSON.parse(`${await shown.locator("code").first().textContent()}`),
	];
	// The page shows the previous response until the next one is there.
	await expect
		.poll(response, { timeout: 30_000 })
		.toMatchObject(["200", plant]);
}

it("sends the example of the OpenAPI document with the token of npm run dev", async () => {
	await page.getByRole("button", { name: "Authorize" }).first().click();
	const dialog = page.locator(".dialog-ux");
	const { ACCESS_TOKEN = "" } = parseEnv(readFileSync(".dev.vars", "utf8"));
	await dialog.locator("input").fill(ACCESS_TOKEN.split(/\s/)[0] ?? "");
	await dialog.getByRole("button", { name: "Apply credentials" }).click();
	await dialog.getByRole("button", { name: "Close" }).last().click();
	await expectCreated({ name: "Monstera", tag: "indoor" });
});

it("sends the id 9223372036854775807 exactly", async () => {
	// A rounded id is 2^63, which returns 400.
	const textarea = page.locator("#operations-Plants-addPlant textarea");
	const example = JSON.parse(await textarea.inputValue());
	const body = JSON.stringify({ ...example, id: 0, name: "Fern" });
	await textarea.fill(body.replace('"id":0', '"id":9223372036854775807'));
	await expectCreated({ name: "Fern" });
});

it("stores no token in cookies or local storage", async () => {
	const state = await page.context().storageState();
	expect(state).toEqual({ cookies: [], origins: [] });
});

it("has a policy that allows no other origin and no frame", () => {
	const policy = headers?.["content-security-policy"];
	expect(policy).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
	expect(policy).not.toMatch(/\*|http|unsafe/);
	expect(headers).toMatchObject({
		"referrer-policy": "no-referrer",
		// Without includeSubDomains and preload: the domain may belong to somebody else.
		"strict-transport-security": "max-age=31536000",
		"x-content-type-options": "nosniff",
	});
});

it("goes to https without a form for a token, over http on another host than localhost", async () => {
	const page = await browser.newPage();
	const requests: string[] = [];
	page.on("request", (request) => requests.push(request.url()));
	// No server returns a response over https: the page stays as it is.
	await page.route(/^https:/, (route) => route.abort("aborted"));
	const http = `${origin}/`.replace("localhost", "plants.example.com");
	await page.goto(http, { waitUntil: "commit" });
	await expect
		.poll(() => requests, { timeout: 30_000 })
		.toContain(http.replace("http:", "https:"));
	const text = await page.locator("body").textContent();
	expect(text).toBe("This page needs https.");
});

it("has no console error and no request to another origin", () => {
	expect(problems).toEqual([]);
});

it("shows Execute and then the response without scrolling at 1280 × 800", async () => {
	const viewport = { width: 1280, height: 800 };
	const page = await browser.newPage({ viewport });
	await page.goto(origin);
	const operation = page.locator("#operations-Plants-addPlant");
	// The click scrolls to Execute if it is not in the viewport.
	await operation.getByRole("button", { name: "Execute" }).click();
	const body = operation.locator(".live-responses-table code").first();
	const box = await body.boundingBox();
	expect(await page.evaluate("scrollY")).toBe(0);
	expect(box && box.y + box.height).toBeLessThanOrEqual(viewport.height);
});

it.each([320, 360, 390])("fits into a phone of %d pixels", async (width) => {
	const page = await browser.newPage({ viewport: { width, height: 800 } });
	await page.goto(origin);
	const scrollWidth = () =>
		page.evaluate("document.documentElement.scrollWidth");
	const operation = page.locator("#operations-Plants-addPlant");
	await operation.getByRole("button", { name: "Execute" }).waitFor();
	expect(await scrollWidth()).toBe(width);
	// After a change, the page has one more button.
	await operation.locator("textarea").fill("{}");
	await operation.getByRole("button", { name: "Reset" }).waitFor();
	expect(await scrollWidth()).toBe(width);
});

it("changes its colors with those of the system while it is open", async () => {
	const background = () =>
		page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
	const light = await background();
	await page.emulateMedia({ colorScheme: "dark" });
	await expect.poll(background, { timeout: 30_000 }).not.toBe(light);
	await page.emulateMedia({ colorScheme: "light" });
	await expect.poll(background, { timeout: 30_000 }).toBe(light);
});

it("tells how to install Swagger UI when it is missing", async () => {
	const page = await browser.newPage();
	await page.route("**/swagger-ui-bundle.js", (route) => route.abort());
	await page.goto(origin);
	const text = await page.locator("body").textContent();
	expect(text).toContain("npm run prepare");
});
