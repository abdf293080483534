import type { MiddlewareHandler } from "hono";
import { errorAnswer } from "./error";

/** The size of the largest body that is read, in bytes: 1 MiB. */
export const MAX_BODY_BYTES = 1_048_576;

/** RFC 9110 §8.3.1: the media type in any case, then any parameters. */
const APPLICATION_JSON = /^application\/json[ \t]*(?:;|$)/i;

/** A byte order mark stays in the text, where it is no JSON (RFC 8259 §8.1). */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads the body strictly, and hands the value to what comes after as `c.req.json()`.
 *
 * A request that is not `application/json` is answered with 415, one over
 * MAX_BODY_BYTES with 413, and one that is not UTF-8 or not JSON (RFC 8259) with 400.
 */
export const readExactJson: MiddlewareHandler = async (c, next) => {
  if (!APPLICATION_JSON.test(c.req.header("content-type") ?? "")) {
    return errorAnswer(415, "Send the plant with Content-Type: application/json.");
  }
  let bytes: ArrayBuffer | undefined;
  try {
    bytes = await readBody(c.req.raw);
  } catch {
    return errorAnswer(400, "The body broke off; send the whole of it.");
  }
  if (!bytes) {
    return errorAnswer(413, `The body is over ${MAX_BODY_BYTES} bytes; send a smaller one.`);
  }
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return errorAnswer(400, "The body is not UTF-8; send it as UTF-8, uncompressed.");
  }
  let value: unknown;
  try {
    value = parseExactJson(text);
  } catch (error) {
    return errorAnswer(
      400,
      error instanceof SyntaxError
        ? "The body is not JSON; send one JSON object."
        : "The body is nested too deeply; send one flat JSON object.",
    );
  }
  c.req.json = () => Promise.resolve(value as never);
  return next();
};

/** The whole body, or undefined when it is too large; what lies beyond the limit is not read. */
async function readBody(request: Request): Promise<ArrayBuffer | undefined> {
  const length = request.headers.get("content-length");
  if (Number(length) > MAX_BODY_BYTES) return undefined;
  if (length !== null) {
    const bytes = await request.arrayBuffer();
    return bytes.byteLength > MAX_BODY_BYTES ? undefined : bytes;
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return new Blob(chunks).arrayBuffer();
}

/** JSON.parse's reviver is given the number as it was written (ECMA-262 §25.5.1). */
const parseWithSource = JSON.parse as (
  text: string,
  reviver: (key: string, value: unknown, context: { source: string }) => unknown,
) => unknown;

/** A number with a fraction, an exponent or more than 15 digits; all others are exact as they are. */
const NEEDS_SOURCE = /\d(?:[.eE]|\d{15})/;

/**
 * Reads JSON text as `JSON.parse` does, but for its numbers: each comes out as a safe
 * integer, as a bigint, or as NaN when it is no int64 integer. None is ever rounded.
 *
 * @throws {SyntaxError} when `text` is not JSON (RFC 8259)
 * @throws {RangeError} when it has a number that needs its source, and is nested so
 *   deeply (thousands of levels) that the stack overflows
 */
export function parseExactJson(text: string): unknown {
  if (!NEEDS_SOURCE.test(text)) return JSON.parse(text);
  return parseWithSource(text, (_key, value, { source }) =>
    typeof value === "number" ? (int64(source) ?? Number.NaN) : value,
  );
}

/**
 * The integer that a JSON number (RFC 8259 §6) is mathematically, however it is
 * spelled; undefined when it is none, or is not between -2^63 and 2^63-1. Takes time
 * linear in the text's length, whatever the exponent.
 */
function int64(number: string): bigint | undefined {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  if (end === 0) return 0n;
  const zeros = Number(exponent) - fraction.length + digits.length - end;
  if (zeros < 0 || end + zeros > 19) return undefined;
  const integer = BigInt(sign + digits.slice(0, end) + "0".repeat(zeros));
  return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
