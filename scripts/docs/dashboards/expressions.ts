/** Matches the deployment selected on the dashboard. Several deployments may share a Prometheus. */
export const DEPLOYMENT = 'namespace=~"$namespace"';
/** Matches the selected processes of the deployment. */
export const OWN = `${DEPLOYMENT},job=~"$job",instance=~"$instance"`;
/** Matches the selected API processes of the deployment. */
export const API = `${DEPLOYMENT},job="partner-booking-api",instance=~"$instance"`;

/** Adds a matcher to a selector, which must end with a brace. */
export const where = (selector: string, matcher: string): string => selector.replace(/\}$/, `,${matcher}}`);

export const perSecond = (counter: string, by?: string): string =>
  `sum${by === undefined ? '' : ` by (${by})`} (rate(${counter}[$__rate_interval]))`;

export const quantile = (q: number, buckets: string, by = 'le'): string =>
  `histogram_quantile(${q}, ${perSecond(buckets, by)})`;

export const mean = (histogram: string): string =>
  `${perSecond(`${histogram}_sum{${OWN}}`)} / ${perSecond(`${histogram}_count{${OWN}}`)}`;
