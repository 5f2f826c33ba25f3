export type PortRange = { first: number; last: number };

/** The default ports of endpoints: the port of https, and the ports that no system service uses. */
export const WEBHOOK_PORTS: readonly PortRange[] = [
  { first: 443, last: 443 },
  { first: 1024, last: 65_535 },
];

/** Reads `443` or `1024-65535`. @throws Error whose message follows the setting's name: `must be …` */
export function portRange(text: string): PortRange {
  const [, first = '', last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? [];
  const range = { first: Number(first), last: Number(last) };
  if (range.first >= 1 && range.first <= range.last && range.last <= 65_535) return range;
  throw new Error('must be a comma list of ports and ranges of ports from 1 to 65535, such as 443,1024-65535');
}

export function hasPort(ranges: readonly PortRange[], port: number): boolean {
  return ranges.some(({ first, last }) => first <= port && port <= last);
}

export function formatPortRanges(ranges: readonly PortRange[]): string {
  return ranges.map(({ first, last }) => (first === last ? first : `${first}-${last}`)).join(', ');
}
