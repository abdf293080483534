/// <reference types="vite/client" />
import { expect, it } from "vitest";
import map from "./README.md?raw";

const files = import.meta.glob<string>("./**/*.test.ts", {
	query: "?raw",
	import: "default",
	eager: true,
});

const rows = map
	.split("\n")
	.filter((line) => /^\|(?! (rule|---))/.test(line))
	.map((line) => line.slice(1, -1).split("|").map((cell) => cell.trim()));
it("x", () => expect([Object.keys(files), rows.length]).toEqual(1));
