import { spawnSync } from "node:child_process";
import { expect, it } from "vitest";

/** What comes before each deploy, with and without a token in the environment. */
function predeploy(ACCESS_TOKEN?: string) {
	const { ACCESS_TOKEN: _, ...env } = process.env;
	return spawnSync("npm run predeploy", {
		shell: true,
		encoding: "utf8",
		env: { ...env, ...(ACCESS_TOKEN !== undefined && { ACCESS_TOKEN }) },
	});
}

it.each([["dev-token"], [""]])(
	"a deploy is refused while the environment has ACCESS_TOKEN=%j",
	(token) => {
		const { status, stderr } = predeploy(token);
		expect(status).toBe(1);
		expect(stderr).toContain("ACCESS_TOKEN is set in the environment");
	},
);

it("a deploy is let through otherwise", () => {
	expect(predeploy()).toMatchObject({ status: 0 });
});
