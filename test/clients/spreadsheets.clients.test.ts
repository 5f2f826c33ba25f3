import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { pythonEnvironment } from '../../scripts/python-environment.ts';
import { operator, operatorJson } from '../cli/operator.ts';
import { reasonToSkip } from '../docs/programs.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import type { HostedService } from '../support/service-host.ts';
import { hostedService } from '../support/service-host.ts';
import { nodeModules, run } from './tools.ts';

jest.setTimeout(300_000);

const CSV = 'examples/venues/venues.csv';
const SHEETJS = 'xlsx@0.18.5';
const PANDAS = { pandas: '3.1.1' };

let service: HostedService;
let folder: string;
beforeAll(async () => {
  service = await hostedService();
  folder = await temporaryFolder();
  await operatorJson(service.adminUrl, ['import', CSV]);
});
afterAll(() => service.stop());

/** What the import of a file says once the example has been imported. */
async function importedAgain(content: string): Promise<string> {
  const file = path.join(folder, 'saved.csv');
  await writeFile(file, content);
  const { out, err } = await operator(service.adminUrl, ['import', file]);
  return out + err;
}

const UNCHANGED = 'Nothing to change: all 49 are as the file says.\n';

type Cell = { t?: string; z?: string; w?: string };
type SheetJs = {
  read(data: string, options: object): { Sheets: Record<string, Record<string, Cell>>; SheetNames: string[] };
  utils: { sheet_to_csv(sheet: object, options: object): string };
};

describe('the example of venues, opened and saved by SheetJS', () => {
  test.each<[how: string, dateFormat: string | undefined, writing: object]>([
    ['as it shows dates by itself, 12/25/26,', undefined, {}],
    ['with dates as 25-Dec-26', 'dd-mmm-yy', {}],
    ['with dates as 2026/12/25', 'yyyy/mm/dd', {}],
    ['with dates as 25/12/2026', 'dd/mm/yyyy', {}],
    ['with dates as 2026-6-15', 'yyyy-m-d', {}],
    ['with semicolons and CRLF', undefined, { FS: ';', RS: '\r\n' }],
    ['with quotes around every cell', undefined, { forceQuotes: true }],
  ])('%s changes nothing', async (_how, dateFormat, writing) => {
    const sheets = createRequire(path.join(await nodeModules([SHEETJS]), 'any.js'))('xlsx') as SheetJs;
    const { Sheets, SheetNames } = sheets.read(await readFile(CSV, 'utf8'), {
      type: 'string',
      cellDates: true,
    });
    const sheet = Sheets[SheetNames[0] ?? ''] ?? {};
    const dates = Object.values(sheet).filter(({ t: type }) => type === 'd');
    expect(dates.length).toBeGreaterThan(10);
    // Its text is what the date looks like in the format that it was read with.
    if (dateFormat !== undefined)
      for (const date of dates) Object.assign(date, { z: dateFormat, w: undefined });
    expect(await importedAgain(sheets.utils.sheet_to_csv(sheet, writing))).toBe(UNCHANGED);
  });
});

const why = await reasonToSkip({ python3: '--version' });
(why === '' ? describe : describe.skip)(`the example of venues, opened and saved by pandas${why}`, () => {
  test.each<[how: string, reading: string, writing: string]>([
    ['as it reads and writes by itself', '', 'index=False'],
    ['with semicolons and decimal commas', '', 'index=False, sep=";", decimal=","'],
    ['with dates and times as values', 'parse_dates=["date"]', 'index=False, date_format="%d-%b-%y"'],
    [
      'quoted, with CRLF and a byte order mark',
      '',
      'index=False, quoting=1, lineterminator="\\r\\n", encoding="utf-8-sig"',
    ],
  ])('%s changes nothing', async (_how, reading, writing) => {
    expect(await importedAgain(await savedByPandas(reading, writing))).toBe(UNCHANGED);
  });

  test('with its index: one error that names the column', async () => {
    const told = await importedAgain(await savedByPandas('', ''));
    expect(told).toMatch(
      / has one error\. .*\n.*csv:1: column 1 of the sheet: has cells but no name, the first in line 2/,
    );
  });
});

async function savedByPandas(reading: string, writing: string): Promise<string> {
  const python = await pythonEnvironment(PANDAS, process.env, () => undefined);
  const file = path.join(folder, 'pandas.csv');
  const program = `import pandas, sys\npandas.read_csv(sys.argv[1], ${reading}).to_csv(sys.argv[2], ${writing})`;
  await run(python, ['-c', program, CSV, file]);
  return readFile(file, 'utf8');
}
