import type { ErrorCode, ErrorExtras } from '../domain/errors.ts';

export type ErrorBody = {
  success: false;
  error: { code: ErrorCode; message: string; request_id: string } & ErrorExtras;
};

/** The body of every error response. */
export function errorBody(
  code: ErrorCode,
  message: string,
  requestId: string,
  extras: ErrorExtras = {},
): ErrorBody {
  return { success: false, error: { code, message, request_id: requestId, ...extras } };
}
