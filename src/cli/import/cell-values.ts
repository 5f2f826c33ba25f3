import { isCalendarDate, WEEKDAYS } from '../../platform/calendar.ts';

/** A cell with several possible meanings; `message` tells the user to write it clearly. */
export class AmbiguousCell {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** The value of a cell. Malformed text stays unchanged, and the schema reports it. */
export function valueOf(column: string, cell: string, separator: string): unknown {
  switch (column) {
    case 'price_rupees':
      return numberIn(cell.replace(CURRENCY, ''), separator);
    case 'duration_minutes':
    case 'multiplier':
    case 'priority':
      return numberIn(cell, separator);
    case 'operating_hours_start':
    case 'operating_hours_end':
    case 'start_time':
    case 'end_time':
      return timeIn(cell);
    case 'date':
    case 'from_date':
    case 'to_date':
      return dateIn(cell);
    case 'status':
      return cell.toLowerCase();
    case 'shares_space_with':
    case 'days_of_week':
      return listIn(cell, column);
    default:
      return cell;
  }
}

const CURRENCY = /^(?:₹|rs\.?|inr) ?| ?(?:₹|rs\.?|inr|rupees|\/-)$/gi;
const PLAIN = /^-?\d+(?:\.\d+)?$/;
/** `1,200`, `1,20,000.50`. */
const WITH_THOUSANDS = /^\d{1,3}(?:,\d{2,3})*,\d{3}(?:\.\d+)?$/;
/** `450,50`, `1.200,50`. */
const WITH_DECIMAL_COMMA = /^(?:\d+|\d{1,3}(?:\.\d{3})+),\d{1,2}$/;

function numberIn(cell: string, separator: string): unknown {
  // Spreadsheets that separate cells with semicolons write a decimal comma, and perhaps a point for thousands.
  if (separator !== ',' && /^\d{1,3}\.\d{3}$/.test(cell)) {
    const [thousands, decimals] = [cell.replace('.', ''), cell.replace(/\.?0+$/, '')];
    return new AmbiguousCell(`${cell} can be ${thousands} or ${decimals}: write one of them`);
  }
  if (PLAIN.test(cell)) return Number(cell);
  if (WITH_THOUSANDS.test(cell)) return Number(cell.replaceAll(',', ''));
  if (WITH_DECIMAL_COMMA.test(cell)) return Number(cell.replaceAll('.', '').replace(',', '.'));
  return cell;
}

/** `6:00`, `06:00:00`, `6.30 pm` and `6 AM` as `HH:MM`. */
function timeIn(cell: string): string {
  const [, hours = '', minutes, meridiem] = /^(\d\d?)(?:[:.](\d\d)(?:[:.]00)?)?(?: ?([ap])\.?m\.?)?$/i.exec(cell) ?? [];
  if (minutes === undefined && meridiem === undefined) return cell;
  const hour = Number(hours);
  if (meridiem !== undefined && (hour < 1 || hour > 12)) return cell;
  const hourOfDay = meridiem === undefined ? hour : (hour % 12) + (meridiem.toLowerCase() === 'p' ? 12 : 0);
  return `${String(hourOfDay).padStart(2, '0')}:${minutes ?? '00'}`;
}

const MONTHS = 'january february march april may june july august september october november december'.split(' ');

/** A spreadsheet's date as `YYYY-MM-DD`; the schema reports malformed and impossible ones. */
export function dateIn(cell: string): string | AmbiguousCell {
  const text = cell.replace(/[T ]00:00(?::00(?:\.0+)?)?$/, '').replace(/^[a-z]{3,9}day,? /i, '');
  if (/^\d{5}(?:\.\d+)?$/.test(text))
    return new AmbiguousCell(`${cell} is a day as spreadsheets count them, from 1900 or from 1904: write YYYY-MM-DD`);
  const [, year, month, day] = /^(\d{4})[-/.](\d\d?)[-/.](\d\d?)$/.exec(text) ?? [];
  if (year !== undefined) return isoDate(year, month, day);
  const dayFirst = /^(\d\d?)[-/. ]([a-z]{3,9})\.?,?[-/. ](\d\d|\d{4})$/i.exec(text);
  if (dayFirst !== null) return isoDate(dayFirst[3], monthNamed(dayFirst[2]), dayFirst[1]);
  const monthFirst = /^([a-z]{3,9})\.? (\d\d?),? (\d{4})$/i.exec(text);
  if (monthFirst !== null) return isoDate(monthFirst[3], monthNamed(monthFirst[1]), monthFirst[2]);
  const [, part1, part2, part3] = /^(\d\d?)[-/.](\d\d?)[-/.](\d\d|\d{4})$/.exec(text) ?? [];
  if (part1 === undefined) return cell;
  const mayBeginWithYear = part1.length === 2 && part3?.length === 2;
  const candidates = [isoDate(part3, part2, part1), isoDate(part3, part1, part2)];
  if (mayBeginWithYear) candidates.push(isoDate(part1, part2, part3));
  const dates = [...new Set(candidates)].filter(isCalendarDate);
  if (dates.length > 1) return new AmbiguousCell(`${cell} can be ${dates.join(' or ')}: write one of them`);
  return dates[0] ?? cell;
}

function isoDate(year = '', month = '', day = ''): string {
  const whole = year.length === 2 ? `20${year}` : year;
  return `${whole}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function monthNamed(name = ''): string {
  return String(MONTHS.findIndex((month) => month.startsWith(name.toLowerCase())) + 1);
}

/** The items of a cell. Only `|` separates names, because they may contain commas; days have more separators. */
export function listIn(cell: string, column: string): string[] {
  const items = cell.split(column === 'shares_space_with' ? '|' : /[|,;\s]+/).map((item) => item.trim());
  const names = items.filter((item) => item !== '');
  return column === 'days_of_week' ? names.map(dayNamed) : names;
}

/** `Monday` becomes `mon`; other text becomes lower case. */
function dayNamed(text: string): string {
  const name = text.toLowerCase();
  return WEEKDAYS.find((day) => name.startsWith(day) && name.endsWith('day')) ?? name;
}

type Opening = { start: string; end: string };

/** `06:00-12:00|16:00-23:00`, also on several lines, or `closed`; undefined if malformed. */
export function openingsIn(cell: string): Opening[] | undefined {
  if (cell.toLowerCase() === 'closed') return [];
  const parts = cell.split(/[|,;\n]/).filter((part) => part.trim() !== '');
  const openings = parts.map((part) => {
    const [, start = '', end = ''] = /^(.+?) ?(?:[-–—]| to ) ?(.+)$/i.exec(part.trim()) ?? [];
    return { start: timeIn(start), end: timeIn(end) };
  });
  const isTime = (text: string) => /^\d\d:\d\d$/.test(text);
  const areTimes = openings.every(({ start, end }) => isTime(start) && isTime(end));
  return openings.length > 0 && areTimes ? openings : undefined;
}
