import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.ts';

/** The fields of the line that `write` logs. */
function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = '';
  const stream = { write: (text: string) => void (line = text) };
  write(createLogger('test', 'info', stream));
  const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([name]) => !['level', 'time', 'service'].includes(name)));
}

test('secrets are redacted in fields, in nested objects and in child loggers', () => {
  const fields = { api_key: 'a', customer_phone: 5, secret_key: { of: 'x' }, other: 'b', none: undefined };
  const REDACTED = '[redacted]';
  const redacted = { api_key: REDACTED, customer_phone: REDACTED, secret_key: REDACTED, other: 'b' };
  expect(logged((log) => log.info(fields, 'said'))).toEqual({ ...redacted, msg: 'said' });
  expect(logged((log) => log.info({ job: fields, count: 1, nothing: null }))).toEqual({
    job: redacted,
    count: 1,
    nothing: null,
  });
  expect(logged((log) => log.child(fields).warn('said'))).toEqual({ ...redacted, msg: 'said' });
});

test('an error is logged with its type, text, stack and code only', () => {
  const err = Object.assign(new TypeError('cannot'), { code: 'E1', api_key: 'a', url: 'redis://:password@' });
  const expected = {
    type: 'TypeError',
    message: 'cannot',
    stack: expect.stringContaining('TypeError: cannot'),
    code: 'E1',
  };
  expect(logged((log) => log.error({ err }, 'failed'))).toEqual({ err: expected, msg: 'failed' });
});
