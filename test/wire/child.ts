// The process that durability.test.ts kills: it serves what is built and stored in its directory.
import { serve } from "./service.ts";

const { port } = await serve(process.argv[2] ?? "");
process.send?.(port);
// Whoever started it is gone: then it exits, too.
process.on("disconnect", () => process.exit());
