interface Bar {
	name: string;
	gzip: number;
	ratios: Record<string, number>;
}

const WIDTH = 880;
const NAMES = 150;
const ROW = 22;

/** Greys and hues of middle lightness, which can be read on white and on black. */
const INK = "#7d8590";
const OTHERS = "#8b949e";
const OURS = "#2da44e";

const escapeXml = (text: string) =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/** A bar chart: one column for each figure, one row for each contestant, shorter is better. */
export function chart(bars: Bar[], caption: string): string {
	const columns = [
		...["create", "a 401", "a 400"].map((figure) => ({
			title: `${figure}, CPU`,
			value: ({ ratios }: Bar) => ratios[figure] ?? 0,
			label: (value: number) => value.toFixed(2),
		})),
		{
			title: "bundle, KB gzip",
			value: ({ gzip }: Bar) => gzip / 1000,
			label: (value: number) => value.toFixed(1),
		},
	];
	const step = (WIDTH - NAMES) / columns.length;
	const top = 36;
	const height = top + bars.length * ROW + 26;
	const text = (x: number, y: number, content: string, attributes = "") =>
		`<text x="${x.toFixed(1)}" y="${y}" ${attributes}>${escapeXml(content)}</text>`;
	const lines = bars.map(({ name }, row) =>
		text(NAMES - 10, top + row * ROW + 15, name, 'text-anchor="end"'),
	);
	for (const [column, { title, value, label }] of columns.entries()) {
		const x = NAMES + column * step;
		const longest = Math.max(...bars.map(value));
		lines.push(text(x, 22, title, 'font-weight="bold"'));
		for (const [row, bar] of bars.entries()) {
			const width = (value(bar) / longest) * (step - 56);
			const y = top + row * ROW;
			const fill = bar.name === "ours" ? OURS : OTHERS;
			lines.push(
				`<rect x="${x}" y="${y + 3}" width="${width.toFixed(1)}" height="${ROW - 6}" rx="2" fill="${fill}"/>`,
				text(x + width + 5, y + 15, label(value(bar))),
			);
		}
	}
	lines.push(
		text(
			0,
			height - 6,
			`CPU as a ratio to the floor. ${caption}`,
			'font-size="9"',
		),
	);
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">
<title>The service beside the floor and its peers</title>
${lines.join("\n")}
</svg>
`;
}
