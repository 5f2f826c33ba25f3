import type { ErrorCode } from './error-registry.ts';

export type { ErrorCode } from './error-registry.ts';

/** The reader of a message: partners and operators have different interfaces. */
export type Audience = 'partner' | 'operator';

/** The audience of messages to a caller. A call without a partner id is an operator's. */
export function audienceOf(partnerId: string | undefined): Audience {
  return partnerId === undefined ? 'operator' : 'partner';
}

/** `path` is dotted (`customer.phone`); `message` is for the caller's developer. */
export type FieldFault = { path: string; message: string };

export type ErrorExtras = { details?: FieldFault[]; conflict?: Record<string, unknown>; booking_id?: string };

/** A rule rejected the call. The public `message` says what was wrong and what to do. */
export class DomainError extends Error {
  readonly code: ErrorCode;
  readonly extras: ErrorExtras;

  constructor(code: ErrorCode, publicMessage: string, extras: ErrorExtras = {}) {
    super(publicMessage);
    this.name = 'DomainError';
    this.code = code;
    this.extras = extras;
  }
}

/** Returns the value. @throws DomainError with `code` and `message` if `value` is null */
export function found<T>(value: T | null, code: ErrorCode, message: string): T {
  if (value === null) throw new DomainError(code, message);
  return value;
}

export function fieldError(path: string, message: string): DomainError {
  return new DomainError('VALIDATION_ERROR', `${path}: ${message}`, { details: [{ path, message }] });
}
