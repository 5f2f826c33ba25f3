import type { RequestHandler } from 'express';
import { DomainError } from '../domain/errors.ts';

/** Behind the methods of a path: any other is 405 with `Allow`. `notOffered` says what there is instead. */
export function rejectMethod(allowed: readonly string[], notOffered = ''): RequestHandler {
  return (req, res) => {
    res.set('Allow', allowed.join(', '));
    throw new DomainError(
      'METHOD_NOT_ALLOWED',
      `${req.method} is not allowed here. Use ${allowed.join(' or ')}.${notOffered}`,
    );
  };
}

/** The same of a path that is only read. */
export const rejectWrites: RequestHandler = rejectMethod(['GET', 'HEAD']);
