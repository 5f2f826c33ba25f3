import type { VNode } from 'preact';
import { HtmlPage } from '../../http/html-page.tsx';

const MESSAGES = {
  wrong:
    "That is not the operator's key. It was printed when the service first started, or is set as OPERATOR_API_KEY.",
  limited:
    "That is not the operator's key either. Check where you copied the key from: your address has sent too many wrong ones.",
};

type SignInPageProps = { next: string; problem?: keyof typeof MESSAGES };

/**
 * The sign-in page, with the reason why the last key was rejected. It has no script. A sign-in leads to `next`, a path
 * of this origin.
 */
export function SignInPage({ next, problem }: SignInPageProps): VNode {
  return (
    <HtmlPage title="Sign in">
      <body>
        <main class="card">
          <strong>Partner Booking Service</strong>
          <h1>Operator sign-in</h1>
          {problem === undefined ? null : (
            <p class="notice bad" role="alert">
              {MESSAGES[problem]}
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
