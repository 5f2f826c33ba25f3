import type { Page } from './layout.tsx';

/** The page for a missing address; `why` is the service's message. */
export function missingPage(why = 'There is no page at this address.'): Page {
  return {
    title: 'Not found',
    status: 404,
    content: (
      <div class="card">
        <h1>Not found</h1>
        <p>{why}</p>
        <p>
          <a href="/">Go to Today</a>
        </p>
      </div>
    ),
  };
}

/** The page while the database is unavailable. */
export function faultPage(): Page {
  return {
    title: 'Not available',
    status: 503,
    content: (
      <div class="card">
        <h1>The database cannot be reached</h1>
        <p>Nothing is lost. Try again in a moment.</p>
      </div>
    ),
  };
}
