import { expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { cellText, fitTable } from '../../src/cli/views.ts';

const ID = '0193a1f4-6c00-7b2a-9d41-5e0c7a3f1b01';
const row = {
  id: ID,
  name: 'A venue whose name is far too long for any line',
  status: 'active',
  at: '2026-11-21T04:30:00.000Z',
  other_id: ID,
};
const columns = ['id', 'name', 'status', 'at', 'other_id'];

test.each([40, 80, 120, 200])('a table fits a width of %i, with whole ids, and names the omitted columns', (width) => {
  const { lines, omitted } = fitTable(columns, [row], width);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  expect(lines[1]).toContain(ID);
  expect([...(lines[0]?.split(/ +/) ?? []), ...omitted]).toEqual(columns);
});

test('columns stay under their headings with wide or combining letters', () => {
  const names = ['運動場', 'Çöurt', 'e\u0301te\u0301', '👨‍👩‍👧 court', '🇮🇳 turf', 'खेल'];
  const rows = names.map((name) => ({ name, status: 'active' }));
  const { lines } = fitTable(['name', 'status'], rows, 80);
  const offsets = lines.map((line) => stringWidth(line.slice(0, line.search(/status|active/))));
  expect(new Set(offsets).size).toBe(1);
});

test.each([
  ['an instant without its zeros, still ISO 8601', '2026-11-21T04:30:00.000Z', '2026-11-21T04:30Z'],
  ['an instant with its seconds', '2026-11-21T04:30:05.120Z', '2026-11-21T04:30:05Z'],
  ['null as nothing', null, ''],
  ['a list with commas', ['mon', 'tue'], 'mon, tue'],
  ['deliveries by their states', [{ id: ID, state: 'succeeded' }, { state: 'retrying' }], 'succeeded, retrying'],
  ['attempts by their outcomes', [{ status_code: 500 }, { status_code: null, error: 'timeout' }], '500, timeout'],
  ['an actor by its kind', { kind: 'operator' }, 'operator'],
  ['any other object as JSON', { a: 1 }, '{"a":1}'],
])('a cell shows %s', (_what, value, text) => {
  expect(cellText(value)).toBe(text);
});

test('foreign text cannot move the cursor, colour the terminal or change the writing direction', () => {
  const { lines } = fitTable(['name'], [{ name: 'x\u001b]0;title\u0007\ny' }], 80);
  expect(lines).toEqual(['name', 'x ]0;title y']);
});
