import type { Application } from 'express';
import type { ErrorCode } from '../domain/errors.ts';

/** Where the partners' listener has a page for each code. */
const PATH = '/docs/errors';

const SETTING = 'errors name their pages';

/** Has every error of this listener name its page in `error.docs`. */
export function nameErrorPages(app: Application): void {
  app.set(SETTING, true);
}

/** Whether `nameErrorPages` was called for this listener. */
export function namesErrorPages(app: Application): boolean {
  return app.get(SETTING) === true;
}

/** The page of a code, as a reference relative to the base URL (RFC 9457, section 3.1.1, allows it): nothing to configure. */
export const errorPageOf = (code: ErrorCode): string => `${PATH}/${code}`;
