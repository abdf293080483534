const dark = matchMedia("(prefers-color-scheme: dark)");
function setColors() {
	document.documentElement.classList.toggle("dark-mode", dark.matches);
}
setColors();
dark.addEventListener("change", setColors);

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
	});
} else {
	document.body.textContent =
		"Swagger UI is missing. Run npm run prepare, then restart.";
}
