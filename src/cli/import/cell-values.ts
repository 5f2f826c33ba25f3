import { isCalendarDate, WEEKDAYS } from '../../platform/calendar.ts';

/** A cell with two possible meanings; `message` says how to write it. */
export class TwoMeanings {
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
    return new TwoMeanings(`${cell} can be ${thousands} or ${decimals}: write it so`);
  }
  if (PLAIN.test(cell)) return Number(cell);
  if (WITH_THOUSANDS.test(cell)) return Number(cell.replaceAll(',', ''));
  if (WITH_DECIMAL_COMMA.test(cell)) return Number(cell.replaceAll('.', '').replace(',', '.'));
  return cell;
}

/** `6:00`, `06:00:00`, `6.30 pm` and `6 AM` as `HH:MM`. */
function timeIn(cell: string): string {
  const [, hours = '', minutes, half] = /^(\d\d?)(?:[:.](\d\d)(?:[:.]00)?)?(?: ?([ap])\.?m\.?)?$/i.exec(cell) ?? [];
  if (minutes === undefined && half === undefined) return cell;
  const hour = Number(hours);
  if (half !== undefined && (hour < 1 || hour > 12)) return cell;
  const ofDay = half === undefined ? hour : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  return `${String(ofDay).padStart(2, '0')}:${minutes ?? '00'}`;
}

const MONTHS = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** A spreadsheet's date as `YYYY-MM-DD`; malformed text stays as it is. */
export function dateIn(cell: string): string | TwoMeanings {
  const text = cell.replace(/[T ]00:00(?::00(?:\.0+)?)?$/, '').replace(/^[a-z]{3,9}day,? /i, '');
  if (/^\d{5}(?:\.\d+)?$/.test(text))
    return new TwoMeanings(`${cell} is a day as spreadsheets count them, from 1900 or from 1904: write YYYY-MM-DD`);
  const [, year, month, day] = /^(\d{4})[-/.](\d\d?)[-/.](\d\d?)$/.exec(text) ?? [];
  if (year !== undefined) return isoDate(year, month, day);
  const [, ofMonth, name = '', itsYear] = /^(\d\d?)[-/. ]([a-z]{3,9})\.?,?[-/. ](\d\d|\d{4})$/i.exec(text) ?? [];
  if (ofMonth !== undefined) return isoDate(itsYear, monthNamed(name), ofMonth);
  const [, first = '', ofIt, yearAfter] = /^([a-z]{3,9})\.? (\d\d?),? (\d{4})$/i.exec(text) ?? [];
  if (ofIt !== undefined) return isoDate(yearAfter, monthNamed(first), ofIt);
  const [, one, other, last] = /^(\d\d?)[-/.](\d\d?)[-/.](\d\d|\d{4})$/.exec(text) ?? [];
  if (one === undefined) return cell;
  const isYearFirst = one.length === 2 && last?.length === 2;
  const orders = [isoDate(last, other, one), isoDate(last, one, other)];
  if (isYearFirst) orders.push(isoDate(one, other, last));
  const readings = [...new Set(orders)].filter(isCalendarDate);
  if (readings.length > 1) return new TwoMeanings(`${cell} can be ${readings.join(' or ')}: write it so`);
  return readings[0] ?? cell;
}

function isoDate(year = '', month = '', day = ''): string {
  const whole = year.length === 2 ? `20${year}` : year;
  return `${whole}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
}

function monthNamed(name: string): string {
  return String(MONTHS.findIndex((month) => month.startsWith(name.toLowerCase())) + 1);
}

/** Names may contain commas, days cannot. */
export function listIn(cell: string, column: string): string[] {
  const items = cell.split(column === 'shares_space_with' ? '|' : /[|,;\s]+/).map((item) => item.trim());
  const named = items.filter((item) => item !== '');
  return column === 'days_of_week' ? named.map(dayNamed) : named;
}

/** `Monday` becomes mon; unknown text stays as it is. */
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
  const areAll = openings.every(({ start, end }) => isTime(start) && isTime(end));
  return openings.length > 0 && areAll ? openings : undefined;
}
