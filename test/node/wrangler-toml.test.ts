// What in wrangler.toml protects tokens and plants, and what has no effect in the wrong place.
import { expect, it } from "vitest";
import { unstable_readConfig } from "wrangler";

const config = "wrangler.toml";
const settings = unstable_readConfig({ config });

it("requires ACCESS_TOKEN for a deploy", () => {
	expect(settings.secrets?.required).toContain("ACCESS_TOKEN");
});

it("keeps the secrets of the clients in a deploy", () => {
	expect(settings.keep_vars).toBe(true);
});

it("serves no URL of an old version, which would accept its tokens", () => {
	expect(settings.preview_urls).toBe(false);
});

it("logs each error, and the outcome of each request", () => {
	const { observability } = settings;
	const logs = { ...observability, ...observability?.logs };
	const { head_sampling_rate = 1, persist = true } = logs;
	const { enabled, invocation_logs = true } = logs;
	expect(head_sampling_rate).toBe(1);
	expect(enabled && persist && invocation_logs).toBe(true);
});

it("refuses --env, which would deploy a second Worker", () => {
	const read = () => unstable_readConfig({ config, env: "x" });
	expect(read).toThrow("No environment found");
});

it("sends no metrics", () => {
	expect(settings.send_metrics).toBe(false);
});
