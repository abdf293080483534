/// <reference types="vite/client" />
import { expect, it } from "vitest";
import map from "./README.md?raw";

const files = import.meta.glob<string>("./**/*.test.ts", {
	query: "?raw",
	import: "default",
	eager: true,
});

/** The tests of a file, each with the name of the `describe` that it is in. */
function testsOf([path, source]: [string, string]): string[] {
	let subject = "";
	const names: string[] = [];
	const calls =
		/\bdescribe\("(?<describe>.+?)"|(?:\bit|\))\(\s*"(?<test>(?:[^"\\]|\\.)+)",/g;
	for (const { groups } of source.matchAll(calls)) {
		if (groups?.describe) subject = `${groups.describe} › `;
		else names.push(`${path.slice("./".length)}: ${subject}${groups?.test}`);
	}
	return names;
}

const rows = map
	.split("\n")
	.filter((line) => line.startsWith("| ") && !line.startsWith("| ---"))
	.map((line) => line.split(" | ").map((cell) => cell.replace(/^\||\|$/g, "")));
const cited = [...map.matchAll(/`([\w/]+\.test\.ts: .+?)`/g)].map(
	([, name]) => name,
);

it("names, in each row, a rule, its source, and its proof or why there is none here", () => {
	expect(rows.length).toBeGreaterThan(40);
	for (const row of rows) {
		expect(row).toHaveLength(3);
		for (const cell of row) expect(cell.trim()).not.toBe("");
	}
});

it("names every test that there is, and no other", () => {
	const tests = Object.entries(files).flatMap(testsOf);
	expect(new Set(cited)).toEqual(new Set(tests));
});
