/** `13:38:12` in UTC. */
export const timeOfDay = (instant: string): string => instant.slice(11, 19);

/** `9 min 58 s`, `2 h 5 min`, `3 d 4 h`. */
export function spokenSeconds(seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [Math.floor(seconds) % 60, 's'],
  ];
  const first = parts.findIndex(([count]) => count > 0);
  if (first === -1) return '0 s';
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** `in 45 s, at 13:38:12 UTC`, by this machine's clock. */
export function spokenWait(waitMs: number): string {
  const seconds = Math.ceil(waitMs / 1000);
  return `in ${spokenSeconds(seconds)}, at ${timeOfDay(new Date(Date.now() + waitMs).toISOString())} UTC`;
}
