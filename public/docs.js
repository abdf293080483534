const dark = matchMedia("(prefers-color-scheme: dark)");
function setColors() {
	document.documentElement.classList.toggle("dark-mode", dark.matches);
}
setColors();
dark.addEventListener("change", setColors);

/** Returns a wrapper that sets these props and, with a tag, puts the component into an element. */
function wrap(more, tag, attributes) {
	return (Original, { React }) =>
		(props) => {
			const element = React.createElement(Original, { ...props, ...more });
			return tag ? React.createElement(tag, attributes, element) : element;
		};
}

/** Adds to the components of Swagger UI what it leaves out. */
const plugin = {
	wrapComponents: {
		// Otherwise, Chromium stores the token in a file of its profile.
		Input: wrap({ autoComplete: "off" }),
		// Names for screen readers.
		TextArea: wrap({ "aria-label": "Request body" }),
		CloseIcon: wrap({
			role: "img",
			"aria-label": "Close",
			"aria-hidden": false,
		}),
		ExamplesSelect: wrap({ showLabels: true }, "label"),
		// A translation replaces the texts of the page, and React could not update the response.
		liveResponse: wrap({}, "div", { translate: "no" }),
	},
};

if (!isSecureContext) {
	// Over http, others can read the token. localhost is a secure context.
	document.body.textContent = "This page needs https.";
	location.protocol = "https:";
} else if (window.SwaggerUIBundle) {
	SwaggerUIBundle({
		dom_id: "#docs",
		url: "/openapi.json",
		docExpansion: "full",
		tryItOutEnabled: true,
		defaultModelsExpandDepth: 0,
		plugins: [plugin],
	});
} else {
	document.body.textContent =
		"Swagger UI is missing. Run npm run prepare, then restart.";
}
