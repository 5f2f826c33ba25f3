import type { Dashboard } from '../grafana.ts';
import { API, DEPLOYMENT, OWN, perSecond, quantile, where } from './expressions.ts';

const PROBES = 'route!~"/(healthz|readyz|metrics)"';
const REQUESTS = `http_request_duration_seconds_count{${API},${PROBES}}`;
const PARTNER_SECONDS = `http_request_duration_seconds_bucket{${API},listener="partner",${PROBES}}`;

export const SERVICE: Dashboard = {
  uid: 'partner-booking-service',
  title: 'Partner Booking: service',
  description: 'Calls, their errors and durations, sales and rejections.',
  panels: [
    {
      isStat: true,
      title: 'Open alerts',
      unit: 'short',
      threshold: { at: 1 },
      runbook: 'which-alerts-are-open',
      description: 'Open alerts of the service itself, of all kinds.',
      queries: [{ legend: 'open', expr: `sum(max by (kind) (pbs_alerts_open{${DEPLOYMENT}}))` }],
    },
    {
      isStat: true,
      title: 'Processes down',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Processes that do not respond to Prometheus.',
      runbook: 'bookingprocessdown',
      queries: [{ legend: 'down', expr: `count(up{${DEPLOYMENT},job=~"partner-booking-.+"} == 0) or vector(0)` }],
    },
    {
      isStat: true,
      title: 'Errors',
      unit: 'percentunit',
      threshold: { at: 0.01 },
      description: 'Share of 5xx responses of both listeners, without probes.',
      runbook: 'bookingservererrors',
      queries: [
        {
          legend: '5xx',
          expr: `(${perSecond(where(REQUESTS, 'status=~"5.."'))} or vector(0)) / ${perSecond(REQUESTS)}`,
        },
      ],
    },
    {
      isStat: true,
      title: 'p99 of partners’ calls',
      unit: 's',
      threshold: { at: 1 },
      description: '99 % of partners’ calls are faster.',
      runbook: 'bookingapislow',
      queries: [{ legend: 'p99', expr: quantile(0.99, PARTNER_SECONDS) }],
    },
    {
      title: 'Calls by status',
      unit: 'reqps',
      description: 'Responses of both listeners, without probes. Aborted: the caller disconnected before the response.',
      queries: [{ legend: '{{status}}', expr: perSecond(REQUESTS, 'status') }],
    },
    {
      title: 'Duration of partners’ calls',
      unit: 's',
      threshold: { at: 1 },
      runbook: 'bookingapislow',
      description: 'From the first byte of a request to the end of its response, over all routes.',
      queries: [
        { legend: 'p50', color: 'blue', expr: quantile(0.5, PARTNER_SECONDS) },
        { legend: 'p99', color: 'purple', expr: quantile(0.99, PARTNER_SECONDS) },
      ],
    },
    {
      title: 'Slowest routes (p99)',
      unit: 's',
      description: 'The eight routes of the partner listener with the highest p99.',
      queries: [
        {
          legend: '{{route}}',
          expr: `topk(8, ${quantile(0.99, PARTNER_SECONDS, 'le, route')})`,
        },
      ],
    },
    {
      title: 'Sales',
      unit: 'ops',
      runbook: 'bookingsalesfailing',
      description: 'Holds placed, confirmed and expired, without replayed calls.',
      queries: [
        { legend: 'held', color: 'blue', expr: perSecond(`holds_placed_total{${OWN}}`) },
        { legend: 'booked', color: 'green', expr: perSecond(`bookings_confirmed_total{${OWN}}`) },
        { legend: 'expired', color: 'orange', expr: perSecond(`holds_expired_total{${OWN}}`) },
      ],
    },
    {
      title: 'Holds rejected',
      unit: 'ops',
      description: 'Rejected calls for holds, by error code and by the reason why the slot was not available.',
      queries: [{ legend: '{{code}} {{reason}}', expr: perSecond(`holds_refused_total{${OWN}}`, 'code, reason') }],
    },
    {
      title: 'Rate-limited calls',
      unit: 'reqps',
      description: 'Calls rejected by the rate limit of a partner, or by the limit of invalid keys from one address.',
      queries: [
        {
          legend: '{{listener}} {{limit}}',
          expr: perSecond(`http_rate_limited_total{${API}}`, 'listener, limit'),
        },
      ],
    },
  ],
};
