import type { CannedDay } from '../canned-days.ts';
import { dayAfter } from '../canned-days.ts';
import { MADE_UP_DAYS } from '../made-up-venues.ts';
import type { Scenario } from '../scenario.ts';
import { expectThat } from '../scenario.ts';
import type { Trial } from '../trial.ts';

const REMEDY =
  'Convert slot_start with the time_zone of its venue (an IANA name) and a library that knows clock changes. Never add a fixed offset.';

/** The wall time at an instant: `YYYY-MM-DDTHH:mm`. */
function wallTime(zone: string, instant: string): string {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
  });
  return format.format(new Date(instant)).replace(' ', 'T');
}

/** @throws Finding unless every slot of a made-up day is shown at its local time */
async function expectShown({ integration }: Trial, day: CannedDay): Promise<void> {
  const { venue, date } = day;
  const { venues } = await integration.do('list_venues', {});
  const isListed = venues.some(({ venue_id }) => venue_id === venue.venue_id);
  expectThat(
    isListed,
    `A venue that the proxy added to your listing when the run began is not listed (${venue.name}).`,
  );
  const { slots } = await integration.do('list_slots', { venue_id: venue.venue_id, date });
  for (const [index, { slot_id, slot_start }] of day.slots.entries()) {
    const shown = slots.find((each) => each.slot_id === slot_id)?.local_time;
    const expected = day.localTimes[index];
    expectThat(
      shown === expected,
      `The slot of ${slot_start} in ${venue.time_zone} is ${expected}, and is shown as ${shown ?? 'nothing'}.`,
    );
  }
  expectThat(
    slots.length === day.slots.length,
    `${date} has ${day.slots.length} slots in ${venue.time_zone}, and ${slots.length} are shown.`,
  );
}

/** Level 5: local times at the venue. */
export const TIME: readonly Scenario[] = [
  {
    id: 'local-times-shown',
    level: 5,
    title: 'Slots are shown at the time of their venue',
    remedy: REMEDY,
    run: async ({ integration, sandbox }) => {
      const { venue, date } = await sandbox.freeSlot();
      const { slots } = await integration.do('list_slots', { venue_id: venue.venue_id, date });
      for (const { slot_id, slot_start } of await sandbox.day({ venue, date })) {
        const shown = slots.find((each) => each.slot_id === slot_id)?.local_time ?? 'nothing';
        const wall = wallTime(venue.time_zone, slot_start);
        const isRight = shown.startsWith(wall) && Date.parse(shown) === Date.parse(slot_start);
        expectThat(isRight, `${slot_start} is ${wall} in ${venue.time_zone}, and is shown as ${shown}.`);
      }
    },
  },
  {
    id: 'short-day-shown',
    level: 5,
    title: 'The day on which clocks go forward skips the missing hour',
    remedy: REMEDY,
    run: (trial) => expectShown(trial, MADE_UP_DAYS.short),
  },
  {
    id: 'long-day-shown',
    level: 5,
    title: 'The day on which clocks go back has two slots of 01:00, told apart by their offset',
    remedy: `${REMEDY} If an hour comes twice, show the offset too, and sell by slot_id.`,
    run: (trial) => expectShown(trial, MADE_UP_DAYS.long),
  },
  {
    id: 'late-night-shown',
    level: 5,
    title: 'Slots after midnight are listed under the date on which the evening began, and show their own date',
    remedy:
      'Ask for the date on which the operating day begins, and show the date of slot_start at the venue, not the one you asked for.',
    run: async (trial) => {
      const day = MADE_UP_DAYS.night;
      await expectShown(trial, day);
      const { slots } = await trial.integration.do('list_slots', {
        venue_id: day.venue.venue_id,
        date: dayAfter(day.date, 1),
      });
      expectThat(slots.length === 0, 'Slots after midnight are listed a second time, under the next date.');
    },
  },
];
