/** The parts of the reference page. Script and style sheet are separate files because of the CSP. */

type ReferencePage = { title: string; base: string; version: string; home: string | undefined };

/** The page; `version` is that of Swagger UI, `home` the target of its link back, if any. */
export function referencePage({ title, base, version, home }: ReferencePage): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${base}/swagger-ui.css?v=${version}">
<link rel="stylesheet" href="${base}/reference.css">
</head>
<body>
<noscript>This page needs JavaScript. The same description, for programs: <a href="/openapi.json">/openapi.json</a>.</noscript>
${home === undefined ? '' : `<p class="bar"><a href="${home}">Documentation</a></p>\n`}<main id="reference"></main>
<script src="${base}/swagger-ui-bundle.js?v=${version}"></script>
<script src="${base}/reference.js"></script>
</body>
</html>
`;
}

export const referenceScript = `const dark = window.matchMedia('(prefers-color-scheme: dark)');
const followTheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followTheme);
followTheme();

window.SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  filter: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // Swagger UI would store the key in the browser's local storage, where it outlives the tab and can be read on disk.
  persistAuthorization: false,
  // Swagger UI would send the description's address to a host of Swagger.
  validatorUrl: null,
  // The address of this page must not choose another description, or another server that would get the key.
  queryConfigEnabled: false,
});
`;

/** Completes Swagger UI's own dark mode, and adapts the page to keyboards and phones. */
export const referenceStyle = `:root { color-scheme: light dark; }
*, *::before, *::after { box-sizing: inherit; }
html { box-sizing: border-box; }
body { margin: 0; background: #fafafa; }
html.dark-mode body { background: #1c2022; }
.bar { margin: 0; padding: .75rem 20px; font: 15px/1.5 system-ui, sans-serif; }
.bar a { color: #0f6b3a; }
html.dark-mode .bar { color: #e4e6e6; }
html.dark-mode .bar a { color: #6ee7a0; }
noscript { display: block; padding: 1rem; font: 16px/1.5 system-ui, sans-serif; }
.swagger-ui :focus-visible { outline: 3px solid #2563eb; outline-offset: 2px; }
html.dark-mode .swagger-ui :focus-visible { outline-color: #93c5fd; }

/* Hides the choice of servers, because there is only one. */
.swagger-ui .schemes > div:has(option[value="/"]:only-child) { visibility: hidden; }

@media (max-width: 640px) {
  .swagger-ui .info { margin: 1.5rem 0; }
  .swagger-ui .scheme-container { padding: 1rem 0; }
  .swagger-ui .schemes > div:has(option[value="/"]:only-child) { display: none; }
  .swagger-ui .opblock-description-wrapper,
  .swagger-ui .responses-inner,
  .swagger-ui .table-container { padding: .75rem; }
  .swagger-ui .filter .operation-filter-input { max-width: none; }
  /* Lines of code scroll sideways instead of breaking within words, and do not cover their buttons. */
  .swagger-ui .highlight-code > pre.microlight code { white-space: pre !important; word-break: normal; }
  .swagger-ui .curl-command pre.microlight,
  .swagger-ui .live-responses-table .highlight-code > pre.microlight { padding-bottom: 3rem !important; }
  /* The status is above its response, without the empty column for links. */
  .swagger-ui .responses-table > thead,
  .swagger-ui .responses-table .response > td.response-col_links { display: none; }
  .swagger-ui .responses-table,
  .swagger-ui .responses-table > tbody,
  .swagger-ui .responses-table .response { display: block; }
  .swagger-ui .responses-table .response > td { display: block; width: 100%; min-width: 0; padding: .25rem 0; }
  .swagger-ui .responses-table .response > td.response-col_status { font-weight: 700; }
}
`;
