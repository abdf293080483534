import { reset } from "cloudflare:test";
import { beforeEach } from "vitest";

// Storage is not isolated between the tests of a file.
beforeEach(reset);
