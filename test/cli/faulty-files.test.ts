import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { operator } from './operator.ts';
import { net, venueFile } from './venue-files.ts';

/** Nothing listens at this address: a command that sends a call before checking its file fails differently. */
const NOWHERE = 'http://127.0.0.1:1';

const folder = await temporaryFolder();

/** The faults without the file name: `12: Turf House / Turf A: price_rupees: must be a number`. */
async function faultsOf(name: string, content: string | Buffer, ...options: string[]): Promise<string[]> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  const { code, out, err } = await operator(NOWHERE, ['import', file, ...options]);
  expect([code, out]).toEqual([1, '']);
  const [sentence = '', ...lines] = err.trimEnd().split('\n');
  expect(sentence).toMatch(/^error: \S+ has (one error|\d+ errors)\. Nothing was changed\.$/);
  expect(err).not.toMatch(/^\s+at |node:internal/m);
  for (const line of lines) expect(line.startsWith(`${file}:`)).toBe(true);
  return lines.map((line) => line.slice(file.length + 1));
}

const turf = (fields?: string) => net('Turf A', fields);
const house = (...resources: string[]) => venueFile('Turf House', ...resources);
/** One turf with these lines, the first of them in line 13. */
const turfWith = (...lines: string[]) => house(turf(lines.map((line) => `        ${line}`).join('\n')));

describe('a YAML file', () => {
  const files: [string, string | Buffer, unknown[]][] = [
    ['that is empty', '', ['1: the file is empty']],
    ['of a list', '- a\n', ['1: the file must begin with "venues:", a list of venues']],
    ['whose venues are not a list', 'venues: Turf House\n', ['1: venues: must be a list']],
    ['with a tab', `${house()}\t- name: x\n`, [expect.stringMatching(/^6: this is not YAML: /)]],
    ['with a field twice', `${house()}  - name: a\n    name: b\n`, ['7: this is not YAML: this field occurs twice']],
    [
      'with a list for a name',
      `${house()}  - [a, b]: c\n    ? { d: e }\n    : f\n`,
      [6, 7].map((line) => `${line}: this is not YAML: the name of a field must be text`),
    ],
    [
      'with a tag',
      `${house()}  - name: a\n    address: !secret address\n`,
      ['7: this is not YAML: tags (!name) are not read here: write the value itself'],
    ],
    ['with __proto__', `${house()}  - __proto__: { city: x }\n`, ['6: __proto__: is not allowed here']],
    ['nested without end', `venues: ${'['.repeat(20_000)}`, ['1: this is not YAML: it is nested too deeply']],
    [
      'of too many aliases',
      `venues: [&a x${', *a'.repeat(1001)}]`,
      ['1: this cannot be read as YAML: aliases make it too large'],
    ],
    [
      'that is not UTF-8',
      Buffer.concat([Buffer.from('venues:\n  - name: "'), Buffer.of(0xff), Buffer.from('"\n')]),
      ['1: the file is not UTF-8 text. Save it as UTF-8 ("CSV UTF-8" in Excel).'],
    ],
    [
      'with a mistyped field',
      house().replace('city:', 'citty:'),
      ['2: Turf House: city: is required', '4: Turf House: citty: is not allowed here'],
    ],
    [
      'with wrong values of a resource',
      house(turf().replace('30', '31').replace('450', "'450'")),
      [
        '9: Turf House / Turf A: duration_minutes: must be a multiple of 5',
        '10: Turf House / Turf A: price_rupees: must be a number',
      ],
    ],
    [
      'with two venues of one name and city',
      `${house()}  - { name: ' turf house', address: x, city: PUNE }\n`,
      ['6:  turf house: name: is the name of another venue in the same city, in line 2'],
    ],
    [
      'with two resources of one name',
      house(turf(), net('TURF A')),
      ['14: Turf House / TURF A: name: is the name of another resource of this venue, in line 6'],
    ],
    [
      'with space shared with no other resource',
      turfWith('shares_space_with: [Turf A, Turf Z]'),
      [
        '13: Turf House / Turf A: shares_space_with: names the resource itself',
        '13: Turf House / Turf A: shares_space_with: there is no resource "turf z" at this venue',
      ],
    ],
    [
      'with a schedule without a day',
      turfWith('schedule:', '  weekly: {}'),
      ['14: Turf House / Turf A / schedule: weekly: has hours for no day of the week, so it would be closed every day'],
    ],
    [
      'with a wrong day in a schedule',
      turfWith('schedule:', '  weekly:', '    monday: []', "    tue: [{ start: '06:00' }]"),
      [
        '15: Turf House / Turf A / schedule: weekly.monday: is not a day of the week. The days are mon, tue, wed, thu, fri, sat, sun.',
        '16: Turf House / Turf A / schedule: weekly.tue.0.end: is required',
      ],
    ],
    [
      'with openings that overlap',
      turfWith("schedule: { weekly: { mon: [{ start: '06:00', end: '12:00' }, { start: '11:00', end: '13:00' }] } }"),
      ['13: Turf House / Turf A / schedule: weekly.mon.1.start: is before another opening of the day has ended'],
    ],
    [
      'with price rules that cannot apply',
      turfWith(
        'price_rules:',
        '  - { name: Evenings }',
        '  - { name: evenings, multiplier: 20, days_of_week: [sat, sat] }',
        '  - { name: Old, price_rupees: 1, from_date: 2027-01-02, to_date: 2027-01-01 }',
      ),
      [
        '14: Turf House / Turf A / Evenings: Send either price_rupees or multiplier.',
        '15: Turf House / Turf A / evenings: multiplier: must be at most 10',
        '15: Turf House / Turf A / evenings: days_of_week.1: repeats an earlier item',
        '15: Turf House / Turf A / evenings: name: is the name of another price rule of this resource, in line 14',
        '16: Turf House / Turf A / Old: from_date: must not be after to_date',
      ],
    ],
  ];
  test.each(files)('%s: line, row, field and reason', async (_what, content, faults) => {
    expect(await faultsOf('venues.yaml', content)).toEqual(faults);
  });

  test('control: the file from which the others are made has no fault', async () => {
    const file = path.join(folder, 'good.yaml');
    await writeFile(file, house(turf()));
    const { code, err } = await operator(NOWHERE, ['import', file]);
    expect([code, err]).toEqual([1, expect.stringContaining('cannot be reached')]);
  });

  test('--json returns the faults for programs', async () => {
    const file = path.join(folder, 'json.yaml');
    await writeFile(file, 'venues: []\n');
    const { code, out } = await operator(NOWHERE, ['import', file, '--json', '--dry-run']);
    const faults = [{ line: 1, subject: '', path: 'venues', message: 'contains no venue' }];
    expect([code, JSON.parse(out)]).toEqual([1, { file, dry_run: true, result: 'faulty', faults }]);
  });

  test('of more than 5 MB is not read', async () => {
    const file = path.join(folder, 'huge.yaml');
    await writeFile(file, Buffer.alloc(5_000_001, '#'));
    const { code, err } = await operator(NOWHERE, ['import', file]);
    expect([code, err]).toEqual([2, expect.stringContaining('is larger than 5 MB')]);
  });
});

/** Columns of a resource besides its price. */
const COLUMNS = 'resource_type;sport_category;duration_minutes;operating_hours_start;operating_hours_end';

describe('a CSV file', () => {
  const files: [string, string, unknown[]][] = [
    [
      'without the names of its columns',
      'venue,Turf House,Mumbai\n',
      [
        expect.stringMatching(/^1: the first line must name the columns/),
        '1: turf_house: is not a known column',
        '1: mumbai: is not a known column',
      ],
    ],
    [
      'with an open quote',
      'kind,venue\n"venue,x\ny\n',
      ['2: this is not CSV: a quote that opens here is never closed'],
    ],
    [
      'with wrong rows',
      [
        `kind;venue;city;resource;address;price_rupees;hours;days_of_week;date;status;${COLUMNS}`,
        'venue;Turf House;Mumbai;;"1 Main; Road";;;;;shut',
        'court;Turf House',
        'resource;Turf Hose;;Turf A',
        'resource;Turf House;;Turf A;;cheap;;;;;net;cricket;30;06:00;22:00',
        'venue;Cricket Barn;Mumbai;;2 Main Road;100',
        'schedule;Turf House;;Turf A;;;all day;mon',
        'schedule;Turf House;;Turf A;;;closed',
        'schedule;Turf House;;Turf B;;;closed;mon',
        'venue;Cricket Barn;Pune;;3 Main Road',
        'resource;Cricket Barn;;Net 1',
        'price_rule;Turf House;;Turf A',
        '',
      ].join('\r\n'),
      [
        '2: Turf House: status: must be one of active, inactive',
        '3: Turf House: kind: must be one of venue, resource, schedule, price_rule',
        '4: Turf Hose / Turf A: venue: there is no venue row of this name in the file',
        '5: Turf House / Turf A: price_rupees: must be a number',
        '6: Cricket Barn: price_rupees: is not a column of a venue row',
        '7: Turf House / Turf A: hours: must be times such as 06:00-12:00|16:00-23:00, or closed',
        '8: Turf House / Turf A: days_of_week: fill in either this or date',
        '9: Turf House / Turf B: resource: there is no resource row of this name at the venue',
        '11: Cricket Barn / Net 1: venue: several venues in the file have this name: fill in the city',
        '12: Turf House / Turf A: name: is required',
        '12: Turf House / Turf A: Send either price_rupees or multiplier.',
      ],
    ],
    [
      'with days named like members of every object',
      [
        `kind;venue;city;address;resource;price_rupees;days_of_week;hours;${COLUMNS}`,
        'venue;A;B;C',
        'resource;A;;;R;1200;;;turf;football;60;06:00;23:00',
        'schedule;A;;;R;;mon|constructor;closed',
        'schedule;A;;;R;;__proto__|toString;06:00-07:00',
        '',
      ].join('\n'),
      [
        '4: A / R: days_of_week: constructor is no day of the week',
        '5: A / R: days_of_week: __proto__ is no day of the week',
        '5: A / R / schedule: weekly.tostring: is not a day of the week. The days are mon, tue, wed, thu, fri, sat, sun.',
      ],
    ],
    [
      'with cells outside of its columns',
      'kind,venue,city,address\nvenue,A,B,C,D\n',
      [
        '1: column 5 of the sheet: has no name, but has cells, the first of them in line 2. Name the column, or delete it.',
      ],
    ],
    [
      'with line breaks in cells, and lines without any: the lines are those of the file',
      '\r\nkind,venue,city,address\r\nvenue,A,B,"C\r\nD\nE"\r\n\r\n,,,\r\nvenue,E,,F\r\n',
      ['8: E: city: is required'],
    ],
    [
      'with ambiguous values',
      [
        `kind;venue;city;address;resource;price_rule;price_rupees;date;hours;days_of_week;from_date;${COLUMNS}`,
        'venue;A;B;C',
        'resource;A;;;R;;1.200;;;;;turf;football;60;6:00 AM;11:00 PM',
        'schedule;A;;;R;;;;6-7;mon',
        'schedule;A;;;R;;;;6:00 AM - 1 pm;mon',
        'schedule;A;;;R;;;05/06/2026;closed',
        'price_rule;A;;;R;P;100;;;;7/8/2026',
        '',
      ].join('\n'),
      [
        '3: A / R: price_rupees: 1.200 can be 1200 or 1.2: write one of them',
        '4: A / R: hours: must be times such as 06:00-12:00|16:00-23:00, or closed',
        '6: A / R / schedule: exceptions.0.date: 05/06/2026 can be 2026-06-05 or 2026-05-06: write one of them',
        '7: A / R / P: from_date: 7/8/2026 can be 2026-08-07 or 2026-07-08: write one of them',
      ],
    ],
  ];
  test.each(files)('%s', async (_what, content, faults) => {
    const found = await faultsOf('venues.csv', content);
    expect(found.toSorted()).toEqual(expect.arrayContaining(faults));
    expect(found).toHaveLength(faults.length);
  });
});
