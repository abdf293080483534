// JSON.parse rounds only numbers with a fraction, an exponent or more than 15 digits.
// Because of \D, a match can start only before the first digit of a number, a fraction or an exponent.
const MAY_BE_ROUNDED = /\D\d(?:\d{15}|\d*[.eE])/;

/**
 * Parses JSON (RFC 8259). A number in the top-level member `id` becomes the bigint that its text equals,
 * or stays a number if that is no integer. An integer of more than 20 digits becomes its first 20, which
 * are no int64 either.
 *
 * @throws {SyntaxError} when the text is not JSON
 */
export function parseWithExactId(text: string): unknown {
	// Not a reviver with context.source: it visits each value, and throws at 51,000 nested arrays.
	const value = JSON.parse(text) as { id?: unknown } | null;
	if (typeof value?.id === "number") {
		value.id = MAY_BE_ROUNDED.test(text)
			? (toBigInt(idText(text)) ?? value.id)
			: BigInt(value.id);
	}
	return value;
}

/** The text of the number in the top-level member `id` of valid JSON. */
function idText(text: string): string {
	// Matches strings, too, so that it finds no number inside of them.
	const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:\d{16,}|\d+[.eE])[-+.\deE]*/g;
	const quoted = text.replace(tokens, (token) =>
		token.startsWith('"') ? token : `"${token}"`,
	);
	const { id } = JSON.parse(quoted) as { id: string | number };
	return `${id}`;
}

/** The integer that a JSON number (RFC 8259 §6) equals, or undefined if there is none. */
function toBigInt(number: string): bigint | undefined {
	const [, sign, whole, fraction = "", exponent = "0"] =
		/^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/i.exec(number) as RegExpExecArray;
	const digits = (whole + fraction).replace(/^0+/, "");
	if (!digits) return 0n;
	// The number of digits before the decimal point, once the exponent has shifted it.
	const point = digits.length - fraction.length + Number(exponent);
	if (point < 1 || /[1-9]/.test(digits.slice(point))) return undefined;
	// 1e1000000000 has a billion digits.
	const length = Math.min(point, 20);
	return BigInt(sign + digits.slice(0, length).padEnd(length, "0"));
}
