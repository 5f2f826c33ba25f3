/** Labels of the processes that are chosen on the dashboard. */
export const OWN = 'job=~"$job",instance=~"$instance"';
/** API processes alone. */
export const API = 'job="partner-booking-api",instance=~"$instance"';

/** The series `selector`, in braces, with one more matcher. */
export const where = (selector: string, matcher: string): string => selector.replace(/\}$/, `,${matcher}}`);

export const perSecond = (counter: string, by?: string): string =>
  `sum${by === undefined ? '' : ` by (${by})`} (rate(${counter}[$__rate_interval]))`;

export const quantile = (q: number, buckets: string, by = 'le'): string =>
  `histogram_quantile(${q}, ${perSecond(buckets, by)})`;

export const mean = (histogram: string): string =>
  `${perSecond(`${histogram}_sum{${OWN}}`)} / ${perSecond(`${histogram}_count{${OWN}}`)}`;
