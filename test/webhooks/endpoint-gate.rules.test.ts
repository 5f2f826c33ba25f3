import { expect, test } from '@jest/globals';
import { createEndpointGate, deferralMs } from '../../src/webhooks/endpoint-gate.rules.ts';

test('a healthy endpoint is never held back', () => {
  const gate = createEndpointGate(2);
  const sends = Array.from({ length: 100 }, () => gate.tryEnter('healthy', 2));
  expect(sends).not.toContain(null);
  expect(gate.isFull('healthy')).toBe(false);
});

test('an endpoint that failed three times in a row has its share at a time, and no more', () => {
  const gate = createEndpointGate(2);
  const first = gate.tryEnter('failing', 3);
  const second = gate.tryEnter('failing', 3);
  expect([typeof first, typeof second, gate.tryEnter('failing', 3)]).toEqual(['function', 'function', null]);
  expect(gate.tryEnter('another', 3)).not.toBeNull();
});

test('a refusal is remembered until a place is free again', () => {
  const gate = createEndpointGate(1);
  const leave = gate.tryEnter('failing', 3);
  expect(gate.isFull('failing')).toBe(false);
  gate.tryEnter('failing', 3);
  expect(gate.isFull('failing')).toBe(true);
  leave?.();
  expect(gate.isFull('failing')).toBe(false);
  expect(gate.tryEnter('failing', 3)).not.toBeNull();
});

test('what was held back comes back within 2 to 6 seconds', () => {
  expect([deferralMs(() => 0), deferralMs(() => 0.9999)]).toEqual([2000, 5999]);
});
