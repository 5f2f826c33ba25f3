import type { Dashboard } from '../grafana.ts';
import { DEPLOYMENT, OWN, perSecond, quantile, where } from './expressions.ts';

const ATTEMPTS = `webhook_attempts_total{${OWN}}`;
const ARRIVALS = `webhook_commit_to_success_seconds_bucket{${OWN}}`;

export const DELIVERIES: Dashboard = {
  uid: 'partner-booking-deliveries',
  title: 'Partner Booking: deliveries',
  description: 'From the commit of an event to the partner’s 2xx: waiting and failing deliveries, and workers.',
  panels: [
    {
      isStat: true,
      title: 'Oldest undispatched event',
      unit: 's',
      threshold: { at: 60 },
      description: 'How long the event has waited to be dispatched.',
      runbook: 'bookingeventsundispatched-event_undispatched',
      queries: [{ legend: 'oldest', expr: `max(pbs_event_oldest_undispatched_seconds{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'Oldest due attempt',
      unit: 's',
      threshold: { at: 60 },
      description:
        'How long the attempt has been due. Includes attempts to unhealthy endpoints, which wait on purpose.',
      runbook: 'bookingdeliveriesoverdue-delivery_overdue',
      queries: [{ legend: 'oldest', expr: `max(pbs_delivery_oldest_due_seconds{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'Failing endpoints',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Active subscriptions that have failed for an hour without a success.',
      runbook: 'bookingendpointsfailing-endpoint_failing',
      queries: [{ legend: 'failing', expr: `max(pbs_endpoints_failing{${DEPLOYMENT}})` }],
    },
    {
      isStat: true,
      title: 'Paused queues',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Queues that an operator has paused.',
      runbook: 'bookingqueuepaused-queue_paused',
      queries: [{ legend: 'paused', expr: `sum(max by (queue) (pbs_queue_paused{${DEPLOYMENT}}))` }],
    },
    {
      title: 'Attempts by outcome',
      unit: 'ops',
      runbook: 'bookingattemptsfailing',
      description: 'Requests to partners’ endpoints, by outcome.',
      queries: [
        { legend: 'succeeded', color: 'green', expr: perSecond(where(ATTEMPTS, 'outcome="succeeded"')) },
        { legend: '{{outcome}}', expr: perSecond(where(ATTEMPTS, 'outcome!="succeeded"'), 'outcome') },
      ],
    },
    {
      title: 'From commit to 2xx',
      unit: 's',
      threshold: { at: 30 },
      runbook: 'bookingwebhookslate',
      description: 'Only deliveries that succeeded at the first attempt. Includes the receiver’s response time.',
      queries: [
        { legend: 'p50', color: 'blue', expr: quantile(0.5, ARRIVALS) },
        { legend: 'p95', color: 'purple', expr: quantile(0.95, ARRIVALS) },
      ],
    },
    {
      title: 'Deliveries not yet successful',
      unit: 'short',
      runbook: 'bookingdeadletters-dead_letter',
      description: 'By state, counted up to 100,000 each. A dead letter stays until it is redelivered or discarded.',
      queries: [{ legend: '{{state}}', expr: `max by (state) (pbs_deliveries{${DEPLOYMENT}})` }],
    },
    {
      title: 'Dead letters per hour',
      unit: 'short',
      threshold: { at: 1 },
      description: 'New dead letters in the past hour.',
      runbook: 'bookingdeadletters-dead_letter',
      queries: [{ legend: 'new', color: 'red', expr: `increase(max(pbs_dead_letters_total{${DEPLOYMENT}})[1h:1m])` }],
    },
    {
      title: 'Events dispatched',
      unit: 'ops',
      description: 'Events that were dispatched: stored for the feed, with a delivery for each receiver.',
      queries: [{ legend: 'events', color: 'blue', expr: perSecond(`events_dispatched_total{${OWN}}`) }],
    },
    {
      title: 'Jobs by queue and state',
      unit: 'short',
      description: 'Jobs in Redis. A lost job only causes a delay: the sweeps find work without a job.',
      queries: [
        {
          legend: '{{queue}} {{state}}',
          expr: `max by (queue, state) (bullmq_job_count{${DEPLOYMENT},state=~"waiting|active|delayed|failed"})`,
        },
      ],
    },
    {
      title: 'Workers by queue',
      unit: 'short',
      threshold: { at: 1, below: true },
      description: 'Worker processes that are connected to the queue.',
      runbook: 'bookingworkerabsent-worker_absent',
      queries: [{ legend: '{{queue}}', expr: `max by (queue) (pbs_queue_workers{${DEPLOYMENT}})` }],
    },
    {
      title: 'Unhealthy endpoints',
      unit: 'short',
      runbook: 'bookingendpointsfailing-endpoint_failing',
      description:
        'Active subscriptions that have failed at least three times in a row: they get few concurrent sends.',
      queries: [{ legend: 'unhealthy', color: 'orange', expr: `max(pbs_endpoints_unhealthy{${DEPLOYMENT}})` }],
    },
  ],
};
