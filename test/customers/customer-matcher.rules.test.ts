import { expect, test } from '@jest/globals';
import { createCustomerMatcher } from '../../src/operations/customers/customer-matcher.rules.ts';

const identifiesCustomer = createCustomerMatcher(
  ['9845077777', '+919845077777', '098450 77777'],
  [
    { name: 'Asha Rao', email: 'asha.rao@mail.example' },
    { name: 'Al', email: null },
    { name: 'Дарья', email: 'd+x@mail.example' },
    { name: null, email: 'asha-rao@turf-town.example' },
    { name: null, email: '^$\\.*+?()[]{}|/@any.example' },
  ],
);

test.each([
  'upi:9845077777@okhdfc',
  'confirm-919845077777-1',
  '0098450 77777',
  '+91 98450-77777',
  '(98450) 77777',
  '%2B919845077777',
  'for ASHA RAO',
  'asharao-1',
  'asha_rao',
  'ASHA.RAO@MAIL.EXAMPLE',
  'mailto:asha.rao%40mail.example',
  'D+X@mail.example',
  'for Asha-Rao%40Turf-Town.example!',
  '^$\\.*+?()[]{}|/@any.example',
  'order-al-7',
  'ДАРЬЯ 7',
  'Rao, Ms. Asha',
  'raoasha-2',
])('%j contains data of the customer', (text) => {
  expect(identifiesCustomer(text)).toBe(true);
});

test.each([
  '',
  'pay_123',
  'order-2026-000731',
  '984507777',
  '9845077778',
  'asha',
  'rao',
  'rao, ashok',
  'sharaoa',
  'd+xXmail.example',
  'external',
  'dx@mail.example',
  'asha@turf-town.example',
  '018f6f3e-9845-7077-8777-000000000000',
])('%j does not contain any', (text) => {
  expect(identifiesCustomer(text)).toBe(false);
});

test('without customer data, nothing matches', () => {
  const blank = ['', ' - '].map((name) => ({ name, email: '' }));
  expect(createCustomerMatcher([], blank)('anything')).toBe(false);
});
