import type { Dashboard } from '../grafana.ts';
import { API, mean, OWN, perSecond } from './expressions.ts';

export const PROCESSES: Dashboard = {
  uid: 'partner-booking-processes',
  title: 'Partner Booking: processes',
  description: 'Load and memory of each process, and whether sweeps run.',
  panels: [
    {
      isStat: true,
      title: 'Stalled sweeps and queues',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Sweeps and queues that a running process has stopped working on.',
      runbook: 'bookingworkstalled',
      queries: [{ legend: 'stalled', expr: `sum(work_stalled{${OWN}})` }],
    },
    {
      title: 'Event loop lag (p99)',
      unit: 's',
      threshold: { at: 0.3 },
      runbook: 'bookingeventloopblocked',
      description:
        'How late the event loop of each process runs, including the 50 ms between samples. All work of a process shares it.',
      queries: [{ legend: '{{instance}}', expr: `nodejs_eventloop_lag_p99_seconds{${OWN}}` }],
    },
    {
      title: 'Processor time',
      unit: 'percentunit',
      description: 'Share of one core. JavaScript runs on one core; libraries and garbage collection use others too.',
      queries: [{ legend: '{{instance}}', expr: `rate(process_cpu_seconds_total{${OWN}}[$__rate_interval])` }],
    },
    {
      title: 'Heap',
      unit: 'bytes',
      threshold: { at: 0.85 * 256 * 1024 * 1024 },
      runbook: 'bookingheapnearlimit',
      description: 'The old generation of the heap. Its default maximum is 256 MiB per process.',
      queries: [
        {
          legend: '{{instance}}',
          expr: `sum by (instance) (nodejs_heap_space_size_used_bytes{${OWN},space=~"old|large_object|code"})`,
        },
      ],
    },
    {
      title: 'File descriptors in use',
      unit: 'percentunit',
      threshold: { at: 0.8 },
      runbook: 'bookingfiledescriptorslow',
      description: 'Share of the process’s limit: connections to callers, partners’ endpoints and databases.',
      queries: [{ legend: '{{instance}}', expr: `process_open_fds{${OWN}} / process_max_fds{${OWN}}` }],
    },
    {
      title: 'Time since a sweep last ran',
      unit: 's',
      runbook: 'bookingsweepnotrun',
      description: 'By sweep, over all processes: one process at a time runs a sweep.',
      queries: [
        {
          legend: '{{sweep}}',
          expr: `time() - max by (sweep) (max_over_time(sweep_last_run_timestamp_seconds{${OWN}}[1h]))`,
        },
      ],
    },
    {
      title: 'Reads of availability',
      unit: 'reqps',
      description:
        'Served from the cache, or computed from claims if the cached response is stale or half a second old.',
      queries: [{ legend: '{{from}}', expr: perSecond(`availability_reads_total{${API}}`, 'from') }],
    },
    {
      title: 'Cache size',
      unit: 'bytes',
      description: 'Estimated size of the cached rules and availability of each API process. Bounded.',
      queries: [{ legend: '{{instance}} {{of}}', expr: `memory_kept_bytes{${API}}` }],
    },
    {
      title: 'Batch sizes',
      unit: 'short',
      description:
        'Average number of reservations per batch of webhook delivery, and of holds per batch of hold expiry.',
      queries: [
        { legend: 'reservations', color: 'blue', expr: mean('event_dispatch_batch_size') },
        { legend: 'holds', color: 'orange', expr: mean('hold_expiry_batch_size') },
      ],
    },
  ],
};
