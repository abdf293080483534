import { reset } from "cloudflare:test";
import { beforeEach } from "vitest";

// Empties the KV namespace.
beforeEach(reset);
