import { timeZoneNamed } from '../../platform/calendar.ts';
import type { Db } from '../../platform/mongo.ts';
import { countVenuesIn, listTimeZones, renameTimeZone } from './venues.store.ts';

/** Names that older releases accepted and the IANA database lacks, with the zones to use. */
const REPLACED: Readonly<Record<string, string>> = {
  'us/pacific-new': 'America/Los_Angeles',
  'canada/east-saskatchewan': 'America/Regina',
  'systemv/ast4adt': 'America/Halifax',
  'systemv/est5edt': 'EST5EDT',
  'systemv/cst6cdt': 'CST6CDT',
  'systemv/mst7mdt': 'MST7MDT',
  'systemv/pst8pdt': 'PST8PDT',
  'systemv/yst9ydt': 'America/Anchorage',
  'systemv/ast4': 'Etc/GMT+4',
  'systemv/est5': 'Etc/GMT+5',
  'systemv/cst6': 'Etc/GMT+6',
  'systemv/mst7': 'Etc/GMT+7',
  'systemv/pst8': 'Etc/GMT+8',
  'systemv/yst9': 'Etc/GMT+9',
  'systemv/hst10': 'Etc/GMT+10',
};

/** Stored zone names that are not IANA names, each with the IANA name of its zone. */
async function findMisspelt(db: Db): Promise<{ stored: string; correct: string }[]> {
  return (await listTimeZones(db)).flatMap((stored) => {
    const correct = REPLACED[stored.toLowerCase()] ?? timeZoneNamed(stored) ?? stored;
    return correct === stored ? [] : [{ stored, correct }];
  });
}

export async function countMisspeltZones(db: Db): Promise<number> {
  const misspelt = (await findMisspelt(db)).map(({ stored }) => stored);
  return countVenuesIn(db, misspelt);
}

/** Corrects the spelling of zones; returns how many venues it changed. Safe to repeat. */
export async function spellZones(db: Db): Promise<number> {
  let changed = 0;
  for (const { stored, correct } of await findMisspelt(db)) {
    changed += await renameTimeZone(db, stored, correct);
  }
  return changed;
}
