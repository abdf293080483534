const { matches } = matchMedia("(prefers-color-scheme: dark)");
document.documentElement.classList.toggle("dark-mode", matches);

SwaggerUIBundle({
	dom_id: "#docs",
	url: "/openapi.json",
	docExpansion: "full",
	tryItOutEnabled: true,
	defaultModelsExpandDepth: 0,
});
