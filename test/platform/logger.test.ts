import { expect, test } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.ts';

function logged(write: (log: ReturnType<typeof createLogger>) => void): Record<string, unknown> {
  let line = '';
  write(
    createLogger('test', 'info', {
      write: (text: string) => {
        line = text;
      },
    }),
  );
  const fields = Object.entries(JSON.parse(line) as Record<string, unknown>);
  return Object.fromEntries(fields.filter(([name]) => !['level', 'time', 'service'].includes(name)));
}

test('a secret is never in a line, whether by itself, in an object or in a child logger', () => {
  const fields = { api_key: 'a', customer_phone: 5, secret_key: { of: 'x' }, other: 'b', none: undefined };
  const clean = {
    api_key: '[redacted]',
    customer_phone: '[redacted]',
    secret_key: '[redacted]',
    other: 'b',
  };
  expect(logged((log) => log.info(fields, 'said'))).toEqual({ ...clean, msg: 'said' });
  expect(logged((log) => log.info({ job: fields, count: 1, nothing: null }))).toEqual({
    job: clean,
    count: 1,
    nothing: null,
  });
  expect(logged((log) => log.child(fields).warn('said'))).toEqual({ ...clean, msg: 'said' });
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
