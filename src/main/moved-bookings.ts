import { readFile, writeFile } from 'node:fs/promises';
import { listMovedBookings, readZoneRules, type ZoneRules } from '../booking/bookings/moved-bookings.service.ts';
import { optionsOrExit } from '../process/arguments.ts';
import { runCommand } from '../process/command.ts';

const fileOption = { type: 'string' } as const;
const { save, compare } = optionsOrExit(
  { save: fileOption, compare: fileOption },
  'node dist/src/main/moved-bookings.js --save FILE | --compare FILE',
  (given) =>
    (given.save === undefined) === (given.compare === undefined) ? 'Give either --save or --compare.' : undefined,
);

/**
 * `npm run moved-bookings`: lists upcoming bookings whose local time has changed with the time zone rules. `--save`
 * writes the rules of this release of Node into a file; `--compare`, on another release, prints the bookings, with exit
 * code 1 if there are any.
 */
runCommand('moved-bookings', async ({ openDatabase }) => {
  if (save !== undefined) {
    const rules = await readZoneRules(await openDatabase());
    await writeFile(save, JSON.stringify(rules));
    return { isDone: true, report: { saved: Object.keys(rules.zones).length, zone_data: rules.zoneData } };
  }
  const rules = JSON.parse(await readFile(compare ?? '', 'utf8')) as ZoneRules;
  let moved = 0;
  for await (const { bookingId, resourceId, slotStart, before, now, isOnSchedule } of listMovedBookings(
    await openDatabase(),
    rules,
  )) {
    moved += 1;
    const note = isOnSchedule ? '' : ', where no slot begins';
    const at = slotStart.toISOString();
    process.stdout.write(`${bookingId} ${resourceId} ${at}: was ${before}, is ${now}${note}\n`);
  }
  return { isDone: moved === 0, report: { moved, saved_by: rules.zoneData } };
});
