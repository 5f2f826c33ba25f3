import type { VNode } from 'preact';
import { HtmlPage } from '../http/html-page.tsx';

const REFUSALS = {
  wrong:
    "That is not the operator's key. It was printed when the service first started, or is set as OPERATOR_API_KEY.",
  refused:
    "That is not the operator's key either. Too many wrong ones came from your address: check where you have it from.",
};

type SignIn = { next: string; refusal?: keyof typeof REFUSALS };

/**
 * The operator's sign-in page, with why the key before was not taken; after it the browser goes to `next`, a path of this
 * origin. It needs no script.
 */
export function SignInPage({ next, refusal }: SignIn): VNode {
  return (
    <HtmlPage title="Sign in">
      <body>
        <main class="card">
          <strong>Partner Booking Service</strong>
          <h1>Operator sign-in</h1>
          {refusal === undefined ? null : (
            <p class="notice bad" role="alert">
              {REFUSALS[refusal]}
            </p>
          )}
          <form class="stack" method="post" action="/sign-in">
            <label for="key">Operator key</label>
            <input id="key" name="key" type="password" required autofocus autocomplete="current-password" />
            <input type="hidden" name="next" value={next} />
            <button class="primary">Sign in</button>
          </form>
        </main>
      </body>
    </HtmlPage>
  );
}
