import { expect, test } from '@jest/globals';
import { normalisePhone } from '../../src/domain/phone.ts';

test.each([
  ['098450 12345', 'IN', '+919845012345'],
  ['+91 98450-12345', 'GB', '+919845012345'],
  ['0091 98450 12345', 'IN', '+919845012345'],
  ['080 2222 3333', 'IN', '+918022223333'],
  ['020 7946 0958', 'GB', '+442079460958'],
  ['(212) 736-5000', 'US', '+12127365000'],
  ['(+91) 98450 12345', 'IN', '+919845012345'],
  ['tel:+91-98450-12345', 'IN', '+919845012345'],
  ['९८४५०१२३४५', 'IN', '+919845012345'],
  ['＋９１９８４５０１２３４５', 'IN', '+919845012345'],
  ['\u202a+91 98450 12345\u202c', 'IN', '+919845012345'],
  ['98450\u200b12345', 'IN', '+919845012345'],
  [' 98450\u00a012345', 'IN', '+919845012345'],
])('%s in %s is %s', (text, region, expected) => {
  expect(normalisePhone(text, region)).toBe(expected);
  expect(normalisePhone(expected, 'US')).toBe(expected);
});

test.each([
  ['too short', '12345'],
  ['an emergency number', '100'],
  ['one digit too long', '+9198450123456'],
  ['a number that the region does not have', '0000000000'],
  ['an unknown country', '+999 12345678'],
  ['text with a line break', '9845012345\n'],
  ['two numbers', '9845012345/9845012346'],
  ['an extension', '9845012345 ext 5'],
  ['nothing', ''],
])('%s is not a phone number', (_name, text) => {
  expect(normalisePhone(text, 'IN')).toBeUndefined();
});

test('a national number of another region is read by the rules of the default region', () => {
  expect(normalisePhone('020 7946 0958', 'IN')).not.toBe('+442079460958');
});
