// Takes docs/page.png, the picture of the README: the page after the first plant.
// Usage: npm run picture, on Linux. On other systems, different fonts change the whole picture.
import { authorize, execute, newPage, startChromium, startDev } from "./dev.js";

// Not the token of .dev.vars: Swagger UI shows it.
const { origin, stop } = await startDev("--var ACCESS_TOKEN:dev-token");
try {
	// The page shows this port, whichever is free.
	const rule = `MAP localhost:8787 127.0.0.1:${new URL(origin).port}`;
	const browser = await startChromium(rule);
	try {
		const viewport = { width: 1200, height: 800 };
		const page = await newPage(browser, { viewport });
		await page.goto("http://localhost:8787");
		await authorize(page, "dev-token");
		const { status } = await execute(page);
		const text = await status.textContent();
		if (text !== "200") throw new Error(`The page shows the status ${text}.`);
		// Away from the button, which changes its color.
		await page.mouse.move(0, 0);
		await page.screenshot({ path: "docs/page.png", animations: "disabled" });
	} finally {
		await browser.close();
	}
} finally {
	stop();
}
console.log("Wrote docs/page.png");
