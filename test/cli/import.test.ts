import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import type { Json } from '../support/factories.ts';
import { anyPartner, anyResource, anyVenue, bookSlot, freeSlotIds } from '../support/factories.ts';
import { hostedService } from '../support/service-host.ts';
import { operator, operatorJson } from './operator.ts';
import { startRelay, type Verdict } from './relay.ts';
import { net, venueFile } from './venue-files.ts';

const YAML = 'examples/venues/venues.yaml';
const CSV = 'examples/venues/venues.csv';

const service = await hostedService({ isAlone: true });
const url = service.adminUrl;
afterAll(() => service.stop());

type Step = { action: string; kind: string; resource?: string; name?: string; changes: Json[]; line: number };
const stepsOf = (answer: Json): Step[] => answer['steps'] as Step[];
const labels = (steps: readonly Step[]): string[] =>
  steps.map(({ action, kind, resource, name }) => [action, kind, resource, name].filter(Boolean).join(' '));

const planOf = async (file: string) => operatorJson(url, ['import', file, '--dry-run']);
const listOf = async (...words: string[]) => (await operatorJson(url, words))['data'] as Json[];

/** Writes a new file with this content. */
async function fileWith(content: string, ending = 'yaml'): Promise<string> {
  const file = path.join(await temporaryFolder(), `venues.${ending}`);
  await writeFile(file, content);
  return file;
}

describe('the example file', () => {
  test('is planned without a change, equally from YAML and CSV, in any spreadsheet’s format', async () => {
    const plan = await planOf(YAML);
    expect(plan['result']).toBe('planned');
    const csv = await readFile(CSV, 'utf8');
    const semicolons = csv.replaceAll(/"[^"\n]*"|,/g, (found) => (found === ',' ? ';' : found));
    const sheets = [
      CSV,
      await fileWith(`\ufeff${csv.replaceAll('\n', '\r\n')}`, 'csv'),
      await fileWith(`sep=;\r\n${semicolons.replaceAll('\n', '\r\n')}`, 'csv'),
      // Spreadsheets rewrite 06:00 according to their settings.
      await fileWith(csv.replaceAll(/,0(\d:\d\d),/g, ',$1,').replaceAll(/,(\d\d:\d\d),/g, ',$1:00,'), 'csv'),
    ];
    const stepsIn = async (file: string) => stepsOf(await planOf(file)).map(({ line: _line, ...step }) => step);
    const fromYaml = await stepsIn(YAML);
    for (const sheet of sheets) expect(await stepsIn(sheet)).toEqual(fromYaml);
    expect(await listOf('venue', 'list')).toEqual([]);
  });

  test('is made as planned, and a second import of either file changes nothing', async () => {
    const { code, out, err } = await operator(url, ['import', YAML]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/To create: 3 venues, 14 resources, 5 schedules, 27 price rules\.\nDone: all 56 steps\.\n$/);
    expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    // Other venues, which move those of the file to a later page of the listing.
    const venues = service.context.db.collection('venues');
    const others = Array.from({ length: 200 }, (_, index) => `other-${index}`.padStart(36, '0'));
    const row = { name: 'Aa', address: 'A', city: 'B', timeZone: 'Asia/Kolkata', status: 'active' };
    await venues.insertMany(others.map((id) => ({ ...row, _id: id as never })));
    for (const file of [YAML, CSV]) {
      expect(await operator(url, ['import', file])).toEqual({
        code: 0,
        err: '',
        out: 'Nothing to change: the service agrees with all 49 entries of the file.\n',
      });
      expect(await operatorJson(url, ['import', file])).toMatchObject({ result: 'unchanged', steps: [] });
    }
    expect(await listOf('venue', 'list', '--all')).toHaveLength(203);
    await venues.deleteMany({ name: 'Aa' });
    expect((await listOf('venue', 'list')).map(({ status }) => status)).toEqual(['active', 'active', 'active']);
  });
});

const rulesOf = (...rules: string[]) =>
  `        price_rules:\n${rules.map((rule) => `          - { ${rule} }\n`).join('')}`;
const importContent = async (content: string) => operatorJson(url, ['import', await fileWith(content)]);
const planContent = async (content: string) => planOf(await fileWith(content));
const venueNamed = async (wanted: string) =>
  String((await listOf('venue', 'list')).find(({ name }) => name === wanted)?.['venue_id']);

describe('an existing venue', () => {
  test('changes only in different fields, with one call per object, and keeps what the file does not name', async () => {
    const evenings = rulesOf('name: Evenings, price_rupees: 600, start_time: "18:00"');
    await importContent(venueFile('Cricket Barn', net('Net 1', evenings)));
    const venueId = await venueNamed('Cricket Barn');
    await anyResource(service, venueId, { name: 'Not in the file' });
    await operatorJson(url, ['price-rule', 'add', 'cricket-barn-net-1', '--name', 'By hand', '--price-rupees', '1']);
    await operatorJson(url, ['venue', 'update', venueId, '--status', 'inactive']);

    const sundays = '        schedule: { weekly: { sun: [{ start: "08:00", end: "20:00" }] } }\n';
    const dearer = rulesOf('name: " evenings", price_rupees: 650, start_time: "18:00"');
    const file = await fileWith(
      venueFile('CRICKET barn', net('Net 1', sundays + dearer))
        .replace('2 Main Road', '22 Main Road')
        .replace('price_rupees: 450', 'price_rupees: 475.50'),
    );
    const plan = await planOf(file);
    expect(labels(stepsOf(plan))).toEqual([
      'change venue',
      'change resource Net 1',
      'change schedule Net 1',
      'change price rule Net 1  evenings',
      'remove price rule Net 1  evenings',
    ]);
    expect(stepsOf(plan)[0]?.changes).toEqual([
      { field: 'name', from: 'Cricket Barn', to: 'CRICKET barn' },
      { field: 'address', from: '2 Main Road', to: '22 Main Road' },
    ]);
    const relay = await startRelay(url, () => 'pass');
    expect((await operator(relay.url, ['import', file])).code).toBe(0);
    await relay.close();
    expect(relay.writes.map(({ method }) => method)).toEqual(['PATCH', 'PATCH', 'PUT', 'POST', 'DELETE']);
    expect(await planOf(file)).toMatchObject({ result: 'unchanged' });
    const rules = await listOf('price-rule', 'list', 'cricket-barn-net-1');
    expect(rules.map(({ name, price_rupees: price }) => [name, price])).toEqual([
      ['By hand', 1],
      [' evenings', 650],
    ]);
    // The file has no status, so a venue closed by hand stays closed.
    expect(await operatorJson(url, ['venue', 'show', venueId])).toMatchObject({
      status: 'inactive',
      address: '22 Main Road',
    });
    expect(await listOf('resource', 'list', venueId)).toHaveLength(2);
  });

  test('price rules of one priority keep the order of the file, in which the last wins', async () => {
    const [one, two, three] = ['name: One, multiplier: 1', 'name: Two, multiplier: 2', 'name: Three, multiplier: 3'];
    const other = 'name: Other, multiplier: 4, priority: 9';
    const ordered = (...rules: string[]) => venueFile('Order Barn', net('Net 1', rulesOf(...rules)));
    await importContent(ordered(one, two, three, other));
    const names = async () => (await listOf('price-rule', 'list', 'order-barn-net-1')).map(({ name }) => name);
    expect(await names()).toEqual(['One', 'Two', 'Three', 'Other']);

    // A rule that is created again becomes the newest, so the next one of its priority is created again too.
    const swapped = ordered(two, one, three, other);
    expect(labels(stepsOf(await planContent(swapped)))).toEqual([
      'change price rule Net 1 One',
      'change price rule Net 1 Three',
      'remove price rule Net 1 One',
      'remove price rule Net 1 Three',
    ]);
    await importContent(swapped);
    expect(await names()).toEqual(['Two', 'Other', 'One', 'Three']);
    expect(await planContent(swapped)).toMatchObject({ result: 'unchanged' });
  });

  test('bookings whose slots a change takes off sale are named before and after the change', async () => {
    const usual = venueFile('Booked Barn', net('Net 1'));
    await importContent(usual);
    const venueId = await venueNamed('Booked Barn');
    const partner = await anyPartner(service, [venueId]);
    const [slotId = ''] = await freeSlotIds(partner, venueId);
    const { booking_id: id } = await bookSlot(partner, slotId);
    const later = usual.replace("start: '06:00'", "start: '07:00'");

    const plan = await planContent(later);
    expect(plan['off_sale']).toMatchObject([
      { venue: 'Booked Barn, Pune', conflict_count: 1, conflicts: [{ booking_id: id }] },
    ]);
    expect(await importContent(later)).toMatchObject({
      result: 'done',
      off_sale: [{ conflicts: [{ booking_id: id }] }],
    });
    expect(await importContent(usual)).toMatchObject({ result: 'done', off_sale: [] });
  });

  test('a new resource of a venue on sale is hidden until it has its schedule and prices', async () => {
    await importContent(venueFile('Hidden Barn', net('Net 1')));
    const second = net('Net 2', rulesOf('name: Evenings, price_rupees: 600'));
    const states: unknown[] = [];
    const relay = await startRelay(url, async ({ number }): Promise<Verdict> => {
      if (number > 1) {
        const resource = await operatorJson(url, ['resource', 'show', 'hidden-barn-net-2']);
        states.push([resource['status'], resource['resource_type']]);
      }
      return 'pass';
    });
    const ended = await operator(relay.url, ['import', await fileWith(venueFile('Hidden Barn', net('Net 1'), second))]);
    await relay.close();
    expect([ended.code, ended.err]).toEqual([0, '']);
    expect(states).toEqual([
      ['inactive', 'Import not finished'],
      ['inactive', 'Import not finished'],
    ]);
    expect(await operatorJson(url, ['resource', 'show', 'hidden-barn-net-2'])).toMatchObject({
      status: 'active',
      resource_type: 'net',
    });
  });
});

describe('conflicts that only the service knows are found before any change', () => {
  const rejectionOf = async (content: string): Promise<string> => {
    const file = await fileWith(content);
    const relay = await startRelay(url, () => 'pass');
    const { code, err } = await operator(relay.url, ['import', file]);
    await relay.close();
    expect([code, relay.writes]).toEqual([1, []]);
    return err.replaceAll(`${file}:`, '');
  };

  test('two venues or two resources have one name', async () => {
    const { id } = await anyVenue(service, [{ name: 'Net 1' }, { name: 'net 1 ' }], {
      name: 'Twin Barn',
      city: 'Pune',
    });
    const twin = venueFile('Twin Barn', net('Net 1'));
    expect(await rejectionOf(twin)).toMatch(
      /^6: Twin Barn \/ Net 1: name: the service has 2 of this name \(\S+, \S+\)\./m,
    );
    const { id: second } = await anyVenue(service, [], { name: 'twin barn', city: 'pune' });
    expect(await rejectionOf(twin)).toContain(
      `2: Twin Barn: name: the service has 2 of this name (${[id, second].toSorted().join(', ')}).`,
    );
  });

  test('the file changes shared space, which an import cannot do', async () => {
    const sharing = (shared: string, ...more: string[]) =>
      venueFile('Shared Barn', net('Net 1', `        shares_space_with: ${shared}`), net('Net 2'), ...more);
    await importContent(sharing('[Net 2]'));
    expect(await planContent(sharing('[net 2]'))).toMatchObject({ result: 'unchanged' });
    expect(await rejectionOf(sharing('[]'))).toMatch(
      /^6: Shared Barn \/ Net 1: shares_space_with: should not share space with Net 2, but does/m,
    );
    const third = sharing('[Net 2, Net 3]', net('Net 3'));
    expect(labels(stepsOf(await planContent(third)))).toEqual(['create resource Net 3', 'complete resource Net 3']);
    await importContent(sharing('[Net 2]', net('Net 3')));
    expect(await rejectionOf(third)).toMatch(/should share space with Net 3, but does not/);
  });
});
