// What the tests of the page and npm run picture share: npm run dev, and Chromium on its page.
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const executablePath =
	process.env.CHROME_PATH ??
	[
		"/usr/bin/google-chrome",
		"/usr/bin/chromium",
		"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
	].find((path) => existsSync(path));

/**
 * Runs `npm run dev` with these options, on free ports, with an empty KV namespace. Returns the origin
 * that it prints.
 * @param {string} options
 */
export async function startDev(options) {
	const directory = mkdtempSync(join(tmpdir(), "plants-"));
	const own = `--port 0 --inspector-port 0 --persist-to "${directory}"`;
	// With detached, stop reaches Wrangler and workerd, too.
	const dev = spawn(`npm run dev -- ${own} ${options} 2>&1`, {
		shell: true,
		detached: true,
		// A different level does not print the origin.
		env: { ...process.env, TMPDIR: directory, WRANGLER_LOG: "log" },
	});
	function stop() {
		if (dev.pid && dev.exitCode === null) process.kill(-dev.pid, "SIGKILL");
		rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
	}
	// After Ctrl-C, Vitest does not run afterAll.
	for (const event of ["SIGINT", "disconnect"]) process.on(event, stop);
	let output = "";
	for await (const data of dev.stdout.iterator({ destroyOnReturn: false })) {
		output += data;
		const origin = /Ready on (http:\S+)/.exec(output)?.[1];
		if (!origin) continue;
		// After five idle seconds, a GET may get no response until the next request arrives:
		// https://github.com/cloudflare/workers-sdk/pull/15252
		const ping = () => fetch(`${origin}/openapi.json`, { method: "HEAD" });
		const timer = setInterval(
			() => ping().catch(() => clearInterval(timer)),
			1000,
		);
		return { origin, stop };
	}
	stop();
	throw new Error(`npm run dev ended:\n${output}`);
}

/**
 * Starts Chromium, in which a host has a different address.
 * @param {string} hosts a rule such as `MAP plants.example.com 127.0.0.1`
 */
export async function startChromium(hosts) {
	if (!executablePath) throw new Error("Install Chromium, or set CHROME_PATH.");
	// Chromium's sandbox does not work for root.
	const chromiumSandbox = process.getuid?.() !== 0;
	const args = [`--host-resolver-rules=${hosts}`];
	return chromium.launch({ executablePath, chromiumSandbox, args });
}

/**
 * Opens a page. Each step on it may take 90 seconds: less than a test, so that a failure shows the step.
 * @param {import("playwright-core").Browser} browser
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function newPage(browser, options) {
	const page = await browser.newPage(options);
	page.setDefaultTimeout(90_000);
	return page;
}

/**
 * Enters a token into the dialog of the page.
 * @param {import("playwright-core").Page} page
 * @param {string} token
 */
export async function authorize(page, token) {
	await page.getByRole("button", { name: "Authorize" }).first().click();
	const dialog = page.locator(".dialog-ux");
	await dialog.locator("input").fill(token);
	await dialog.getByRole("button", { name: "Apply credentials" }).click();
	await dialog.getByRole("button", { name: "Close" }).last().click();
}

/**
 * Sends the form once. Returns where the page shows the status and the body of the response.
 * @param {import("playwright-core").Page} page
 */
export async function execute(page) {
	const operation = page.locator("#operations-Plants-addPlant");
	await operation.getByRole("button", { name: "Execute" }).click();
	const shown = operation.locator(".live-responses-table tbody");
	return {
		status: shown.locator(".response-col_status"),
		body: shown.locator("code").first(),
	};
}
