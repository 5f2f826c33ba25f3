const ESCAPES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

const REFUSALS = {
  wrong:
    "That is not the operator's key. It was printed when the service first started, or is set as OPERATOR_API_KEY.",
  refused: 'Too many wrong keys came from your address. Wait a minute, then try again.',
};

/**
 * The operator's sign-in page, with why the key before was not taken; after it the browser goes to `next`, a path of this
 * origin.
 */
export function signInPage(next: string, reason?: keyof typeof REFUSALS): string {
  const refusal = reason === undefined ? '' : `<p role="alert">${REFUSALS[reason]}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in · Partner Booking Service</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1rem; box-sizing: border-box; }
  main { width: 100%; max-width: 22rem; }
  label { display: block; margin-bottom: .25rem; }
  input, button { font: inherit; width: 100%; box-sizing: border-box; padding: .6rem; border-radius: .4rem; }
  input { border: 1px solid GrayText; }
  button { margin-top: 1rem; border: 0; background: #14532d; color: #fff; cursor: pointer; }
  [role=alert] { color: #b91c1c; color: light-dark(#b91c1c, #fca5a5); }
</style>
</head>
<body>
<main>
<h1>Operator sign-in</h1>
${refusal}
<form method="post" action="/sign-in">
<label for="key">Operator key</label>
<input id="key" name="key" type="password" required autofocus autocomplete="current-password">
<input type="hidden" name="next" value="${escapeHtml(next)}">
<button>Sign in</button>
</form>
</main>
</body>
</html>
`;
}
