// Runs in Node before the tests in workerd. With inject("document"), a test gets the OpenAPI document
// without src/openapi.ts, which builds parts of the schemas that the bundle does not build.
import type { TestProject } from "vitest/node";
import { document } from "../src/openapi";

declare module "vitest" {
	interface ProvidedContext {
		document: typeof document;
	}
}

export default ({ provide }: TestProject) => provide("document", document);
