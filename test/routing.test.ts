import { describe, expect, it } from "vitest";
import { expectRefused, send } from "./service";

describe("another method", () => {
	it.each([
		["GET", "/plants", "POST"],
		["PUT", "/plants", "POST"],
		["PATCH", "/plants", "POST"],
		["DELETE", "/plants", "POST"],
		["OPTIONS", "/plants", "POST"],
		["POST", "/openapi.json", "GET, HEAD"],
		["DELETE", "/openapi.json", "GET, HEAD"],
	])("is answered with 405 and Allow: %s %s", async (method, path, allow) => {
		const answer = await expectRefused({ method, path }, 405, 405, /^Send a /);
		expect(answer.headers.get("Allow")).toBe(allow);
	});

	it("is answered with 405 and Allow, without a body, when it is HEAD", async () => {
		const answer = await send({ method: "HEAD" });
		expect(answer).toMatchObject({ status: 405, body: "" });
		expect(answer.headers.get("Allow")).toBe("POST");
	});
});

describe("another path", () => {
	it.each([
		["POST", "/"],
		["POST", "/plants/"],
		["POST", "/plants/1"],
		["POST", "/Plants"],
		["POST", "/plants;x"],
		["POST", "//plants"],
		["POST", "/v1/plants"],
		["POST", "/plants%2F"],
		["POST", "/%"],
		["GET", "/plants/42"],
		["GET", "/favicon.ico"],
		["GET", "/openapi.json/"],
	])("is answered with 404: %s %s", async (method, path) => {
		await expectRefused({ method, path }, 404, 404, /\/plants/);
	});
});
