import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import type { ZoneRules } from '../../src/booking/bookings/moved-bookings.service.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';
import { bookSlot, dateIn, operatorOf } from '../support/factories.ts';
import { startScene } from '../support/scene.ts';
import { hostedService } from '../support/service-host.ts';
import { endProcesses, startProcess } from '../support/worker-process.ts';

const service = await hostedService();
afterAll(async () => {
  await endProcesses();
  await service.stop();
});

async function run(...args: string[]): Promise<{ code: number | null; text: string }> {
  const started = startProcess('src/main/moved-bookings.ts', service.environment, args);
  return { code: (await started.exited).code, text: started.output() };
}

test('lists bookings with another local time by the saved zone rules, and notes where no slot begins now', async () => {
  const hours = { operating_hours_start: '10:00', operating_hours_end: '12:00' };
  const scene = { resources: [hours], venue: { time_zone: 'Asia/Kolkata' }, days: [5] };
  const { venue, partner, slot } = await startScene(service, scene);
  const booking = await bookSlot(partner, slot());
  const elsewhere = await startScene(service, { venue: { time_zone: 'UTC' }, days: [5] });
  await bookSlot(elsewhere.partner, elsewhere.slot());
  const file = path.join(await temporaryFolder(), 'rules.json');

  expect(await run('--save', file)).toMatchObject({ code: 0 });
  const rules = JSON.parse(await readFile(file, 'utf8')) as ZoneRules;
  expect(rules).toMatchObject({
    zoneData: process.versions['tz'],
    zones: { 'Asia/Kolkata': [[expect.any(Number), 19_800_000]], UTC: [[expect.any(Number), 0]] },
  });
  expect(await run('--compare', file)).toMatchObject({ code: 0 });

  // As if India had since moved its clocks forward by an hour.
  for (const offset of rules.zones['Asia/Kolkata'] ?? []) offset[1] -= 3_600_000;
  await writeFile(file, JSON.stringify(rules));
  const moved = `${String(booking['booking_id'])} ${venue.resourceIds[0]} ${dateIn(5)}T04:30:00.000Z`;
  const { code, text } = await run('--compare', file);
  expect(code).toBe(1);
  expect(text).toContain(`${moved}: was ${dateIn(5)}T09:00, is ${dateIn(5)}T10:00\n`);
  expect(text.match(/: was /g)).toHaveLength(1);

  const changed = { operating_hours_start: '09:30' };
  await operatorOf(service).patch(`/api/v1/operator/resources/${venue.resourceIds[0]}`, changed);
  expect((await run('--compare', file)).text).toContain(
    `${moved}: was ${dateIn(5)}T09:00, is ${dateIn(5)}T10:00, where`,
  );
});
