import { timeZoneNamed } from '../../platform/calendar.ts';
import type { Db } from '../../platform/mongo.ts';
import { countVenuesIn, listTimeZones, renameTimeZone } from './venues.store.ts';

/** Former releases took these names, which the IANA database does not have: its zone of today, where the rules of 1976 end. */
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

/** The stored names of zones that are not as the IANA database spells them, with the right ones. */
async function findMisspelt(db: Db): Promise<{ from: string; to: string }[]> {
  return (await listTimeZones(db)).flatMap((from) => {
    const to = REPLACED[from.toLowerCase()] ?? timeZoneNamed(from) ?? from;
    return to === from ? [] : [{ from, to }];
  });
}

/** How many venues have a zone that is not as the IANA database spells it. */
export async function countMisspeltZones(db: Db): Promise<number> {
  return countVenuesIn(
    db,
    (await findMisspelt(db)).map(({ from }) => from),
  );
}

/** Spells the zones of venues as the IANA database does; returns how many venues it changed. It can be repeated. */
export async function spellZones(db: Db): Promise<number> {
  let changed = 0;
  for (const { from, to } of await findMisspelt(db)) {
    changed += await renameTimeZone(db, from, to);
  }
  return changed;
}
