import { FORGED, OPERATORS } from './injection-payloads.ts';

/** The paths in a document or command at which a payload is an operator or a member. */
export function injectedInto(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const isOperator = key in OPERATORS && isSame(member, OPERATORS[key]);
    const isInjected = isOperator || NEVER_A_KEY.has(key) || member === FORGED;
    return isInjected ? [`${path}/${key}`] : injectedInto(member, `${path}/${key}`);
  });
}

const isSame = (member: unknown, operand: unknown) => JSON.stringify(member) === JSON.stringify(operand);

/** Neither a member of anything that the service stores nor an operator that it uses. */
const NEVER_A_KEY = new Set([
  ...['polluted', 'role', '__proto__', 'constructor', 'prototype', '_bsontype'],
  ...['$where', '$regex', '$function', '$accumulator'],
]);
