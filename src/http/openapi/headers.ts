type Header = { description: string; required?: true; schema: Record<string, unknown>; example: unknown };

export const HEADERS = {
  'X-Request-Id': {
    description:
      'The id of this request in logs and in error.request_id. The service keeps yours if it has 1 to 128 characters A-Z a-z 0-9 . _ -',
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: 128 },
    example: '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b0a',
  },
  RateLimit: {
    description: 'The remaining limit: `r` requests until the window ends in `t` seconds. Absent if no limit applies.',
    schema: { type: 'string' },
    example: '"partner";r=587;t=42',
  },
  'RateLimit-Policy': {
    description: 'The limit: `q` requests in a window of `w` seconds. Absent if no limit applies.',
    schema: { type: 'string' },
    example: '"partner";q=600;w=60',
  },
  'Retry-After': {
    description: 'Repeat the call after this many seconds.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
    example: 1,
  },
  ETag: {
    description: 'The version of the response. Send it in If-None-Match.',
    required: true,
    schema: { type: 'string' },
    example: 'W/"4f2-9mPq0x7cR3vT1k"',
  },
  'Idempotent-Replayed': {
    description:
      '`true` if the response repeats that of an earlier call with the same idempotency_key; otherwise absent.',
    schema: { type: 'string', enum: ['true'] },
    example: 'true',
  },
  'X-Ignored-Fields': {
    description:
      'Unknown body fields that were ignored, separated by commas, at most 10. Check them for typing errors. Absent if there are none.',
    schema: { type: 'string' },
    example: 'customer_nmae, colour',
  },
  Deprecation: {
    description:
      'When this endpoint was deprecated: `@` and Unix seconds (RFC 9745). Link names the page about its successor.',
    required: true,
    schema: { type: 'string', pattern: '^@[0-9]+$' },
    example: '@1798761600',
  },
  Sunset: {
    description: 'When this endpoint may be removed, as an HTTP date (RFC 8594).',
    required: true,
    schema: { type: 'string' },
    example: 'Thu, 01 Jul 2027 00:00:00 GMT',
  },
  Link: {
    description: 'The page about the successor of this endpoint, with `rel="deprecation"`.',
    required: true,
    schema: { type: 'string' },
    example: '</docs/changelog>; rel="deprecation"; type="text/html"',
  },
  Allow: {
    description: 'The methods that the path has.',
    required: true,
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

const GENERAL = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const;

export function headersOf(own: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries([...GENERAL, ...own].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
