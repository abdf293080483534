// Loaded before restore.mjs: its pause takes no time.
import { syncBuiltinESMExports } from "node:module";
import timers from "node:timers/promises";

Object.assign(timers, { setTimeout: async () => {} });
syncBuiltinESMExports();
