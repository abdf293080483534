import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { authorize, execute, newPage, startChromium, startDev } from "./dev.js";

let dev: Awaited<ReturnType<typeof startDev>>;
let origin: string;
let browser: Browser;
let page: Page;
let headers: Record<string, string> | undefined;

/** The token of npm run dev. */
function token() {
	const { ACCESS_TOKEN = "" } = parseEnv(readFileSync(".dev.vars", "utf8"));
	return ACCESS_TOKEN.split(/\s/)[0] ?? "";
}

/** Console errors, such as those of the policy, and requests to another origin. */
const problems: string[] = [];

beforeAll(async () => {
	browser = await startChromium("MAP plants.example.com 127.0.0.1");
	// With --host, requests have the domain that an operator adds to wrangler.toml.
	dev = await startDev("--host plants.example.com");
	origin = dev.origin;
	page = await newPage(browser);
	page.on("pageerror", ({ message }) => problems.push(message));
	page.on("console", (message) => {
		const { url } = message.location();
		if (message.type() === "error") problems.push(`${url} ${message.text()}`);
	});
	page.on("request", (request) => {
		if (new URL(request.url()).origin !== origin) problems.push(request.url());
	});
	headers = (await page.goto(origin))?.headers();
	await authorize(page, token());
});

afterAll(async () => {
	await browser?.close();
	dev?.stop();
});

/** Writes a plant with this id and name into the form. */
async function fill(page: Page, id: string, name: string) {
	const textarea = page.locator("#operations-Plants-addPlant textarea");
	const example = JSON.parse(await textarea.inputValue());
	const body = JSON.stringify({ ...example, id: 0, name });
	await textarea.fill(body.replace('"id":0', `"id":${id}`));
}

/** Sends the form once. The page must then show status 200 and the plant. */
async function expectCreated(page: Page, plant: object): Promise<void> {
	const { status, body } = await execute(page);
	const response = async () => [
		await status.textContent(),
		JSON.parse(`${await body.textContent()}`),
	];
	// The page shows the previous response until the next one is there.
	await expect.poll(response).toMatchObject(["200", plant]);
}

it("sends the example of the OpenAPI document with the token of npm run dev", async () => {
	await expectCreated(page, { name: "Monstera", tag: "indoor" });
});

it("sends the id 9223372036854775807 exactly", async () => {
	// A rounded id is 2^63, which returns 400.
	await fill(page, "9223372036854775807", "Fern");
	await expectCreated(page, { name: "Fern" });
});

/** What axe finds on the page: controls that a screen reader cannot name, for example. */
async function criticalFindings(page: Page) {
	await page.evaluate(axe.source);
	const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
	return violations
		.filter(({ impact }) => impact === "critical")
		.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

/** Opens the page, and its dialog for the token. */
async function openDialog() {
	const page = await newPage(browser);
	await page.goto(origin);
	await page.getByRole("button", { name: "Authorize" }).first().click();
	return { page, input: page.locator(".dialog-ux input") };
}

it("names each control for screen readers", async () => {
	const { page, input } = await openDialog();
	await input.waitFor();
	expect(await criticalFindings(page)).toEqual([]);
	await page.getByRole("button", { name: "Close" }).last().click();
	expect(await criticalFindings(page)).toEqual([]);
});

it("shows the next response on a translated page, above Curl", async () => {
	const page = await newPage(browser);
	await page.goto(origin);
	await authorize(page, token());
	await expectCreated(page, { name: "Monstera" });
	// As browsers translate: each text that may be translated, in an element of its own.
	await page.evaluate(`
		const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		const texts = [];
		while (walker.nextNode()) texts.push(walker.currentNode);
		for (const text of texts) {
			if (text.parentElement.closest("[translate=no], script, textarea")) continue;
			const font = document.createElement("font");
			text.replaceWith(font);
			font.append(text);
		}`);
	await fill(page, "1", "Ivy");
	await expectCreated(page, { name: "Ivy" });
	const response = await page.locator(".live-responses-table").boundingBox();
	const curl = await page.locator(".curl-command").boundingBox();
	expect(response?.y).toBeLessThan(Number(curl?.y));
});

it("stores no token in cookies, local storage or autofill", async () => {
	const state = await page.context().storageState();
	expect(state).toEqual({ cookies: [], origins: [] });
	const { input } = await openDialog();
	// Otherwise, Chromium writes the token into its profile.
	expect(await input.getAttribute("autocomplete")).toBe("off");
});

it("has a policy that allows no other origin and no frame", () => {
	const policy = headers?.["content-security-policy"];
	expect(policy).toMatch(/^default-src 'none';.* frame-ancestors 'none'$/);
	expect(policy).not.toMatch(/\*|http|unsafe/);
	expect(headers).toMatchObject({
		"referrer-policy": "no-referrer",
		// Without includeSubDomains and preload: the domain may belong to someone else.
		"strict-transport-security": "max-age=31536000",
		"x-content-type-options": "nosniff",
	});
});

it("goes to https without a form for a token, over http on a host other than localhost", async () => {
	const page = await newPage(browser);
	const requests: string[] = [];
	page.on("request", (request) => requests.push(request.url()));
	// No server returns a response over https: the page stays as it is.
	await page.route(/^https:/, (route) => route.abort("aborted"));
	const http = `${origin}/`.replace("localhost", "plants.example.com");
	await page.goto(http, { waitUntil: "commit" });
	await expect.poll(() => requests).toContain(http.replace("http:", "https:"));
	const text = await page.locator("body").textContent();
	expect(text).toBe("This page needs https.");
});

it("has no console error and no request to another origin", () => {
	expect(problems).toEqual([]);
});

it("shows Execute and then the response without scrolling at 1280 × 800", async () => {
	const viewport = { width: 1280, height: 800 };
	const page = await newPage(browser, { viewport });
	await page.goto(origin);
	// The click scrolls to Execute if it is not in the viewport.
	const { body } = await execute(page);
	const box = await body.boundingBox();
	expect(await page.evaluate("scrollY")).toBe(0);
	expect(box && box.y + box.height).toBeLessThanOrEqual(viewport.height);
});

it.each([320, 360, 390])("fits into a phone of %d pixels", async (width) => {
	const page = await newPage(browser, { viewport: { width, height: 800 } });
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
	await expect.poll(background).not.toBe(light);
	await page.emulateMedia({ colorScheme: "light" });
	await expect.poll(background).toBe(light);
});

it("tells how to install Swagger UI when it is missing", async () => {
	const page = await newPage(browser);
	await page.route("**/swagger-ui-bundle.js", (route) => route.abort());
	await page.goto(origin);
	const text = await page.locator("body").textContent();
	expect(text).toContain("npm run prepare");
});
