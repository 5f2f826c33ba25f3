export type { ClientOptions, PartnerClient } from './client.ts';
export { createPartnerClient } from './client.ts';
export type { ErrorCode } from './errors.ts';
export { PartnerApiError, PartnerConnectionError } from './errors.ts';
export type {
  CallOptions,
  Input,
  OperationId,
  PagedOperationId,
  Schemas,
  Success,
} from './operation-types.ts';
export type { Retries } from './retries.ts';
