/** JSON.parse's reviver is given the number as it was written (ECMA-262 §25.5.1). */
const parseWithSource = JSON.parse as (
	text: string,
	reviver: (
		key: string,
		value: unknown,
		context: { source: string },
	) => unknown,
) => unknown;

/** A number with a fraction, an exponent or more than 15 digits; all others are exact as they are. */
const NEEDS_SOURCE = /\d(?:[.eE]|\d{15})/;

/**
 * Reads JSON text as `JSON.parse` does, but for a number that is a member named `id`:
 * it comes out as a safe integer, as a bigint, or as NaN when it is no int64 integer,
 * never rounded. (All others are ignored or refused, whatever their value.)
 *
 * @throws {SyntaxError} when `text` is not JSON (RFC 8259)
 * @throws {RangeError} when it has, anywhere, what looks like a number that needs its
 *   source, and is nested so deeply (thousands of levels) that the stack overflows
 */
export function parseExactJson(text: string): unknown {
	if (!NEEDS_SOURCE.test(text)) return JSON.parse(text);
	return parseWithSource(text, (key, value, { source }) =>
		key === "id" && typeof value === "number"
			? (int64(source) ?? Number.NaN)
			: value,
	);
}

/**
 * The integer that a JSON number (RFC 8259 §6) is mathematically, however it is
 * spelled; undefined when it is none, or is not between -2^63 and 2^63-1. Takes time
 * linear in the text's length, whatever the exponent.
 */
function int64(number: string): bigint | undefined {
	const exponent = Number(/(?<=e).+/i.exec(number)?.[0] ?? 0);
	const decimals = /(?<=\.)\d+/.exec(number)?.[0].length ?? 0;
	const digits = number.replace(/e.*|[-.]/gi, "").replace(/^0+/, "");
	let end = digits.length;
	while (digits[end - 1] === "0") end--;
	if (end === 0) return 0n;
	const zeros = exponent - decimals + digits.length - end;
	if (zeros < 0 || end + zeros > 19) return undefined;
	const absolute = BigInt(digits.slice(0, end) + "0".repeat(zeros));
	const integer = number.startsWith("-") ? -absolute : absolute;
	return BigInt.asIntN(64, integer) === integer ? integer : undefined;
}
