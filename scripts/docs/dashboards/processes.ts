import type { Dashboard } from '../grafana.ts';
import { API, mean, OWN, perSecond } from './expressions.ts';

export const PROCESSES: Dashboard = {
  uid: 'partner-booking-processes',
  title: 'Partner Booking: processes',
  description: 'How full each process is, what it keeps in memory, and whether sweeps are run.',
  panels: [
    {
      isStat: true,
      title: 'Works that stand still',
      unit: 'short',
      threshold: { at: 1 },
      description: 'Sweeps and queues of a process that answers, but has stopped working on them.',
      runbook: 'bookingworkstalled',
      queries: [{ legend: 'stalled', expr: `sum(work_stalled{${OWN}})` }],
    },
    {
      ...{
        title: 'Event loop lag (p99)',
        unit: 's',
        threshold: { at: 0.3 },
        runbook: 'bookingeventloopblocked',
      },
      description:
        'How late the event loop of each process is, with the 50 ms between samples; all that the process does shares it.',
      queries: [{ legend: '{{instance}}', expr: `nodejs_eventloop_lag_p99_seconds{${OWN}}` }],
    },
    {
      title: 'Processor time',
      unit: 'percentunit',
      description: 'Share of one core. JavaScript runs on one core; libraries and garbage collection use others too.',
      queries: [{ legend: '{{instance}}', expr: `rate(process_cpu_seconds_total{${OWN}}[$__rate_interval])` }],
    },
    {
      ...{
        title: 'Heap',
        unit: 'bytes',
        threshold: { at: 0.85 * 256 * 1024 * 1024 },
        runbook: 'bookingheapnearlimit',
      },
      description: 'The old generation, which a process may have 256 MiB of unless set otherwise.',
      queries: [
        {
          legend: '{{instance}}',
          expr: `sum by (instance) (nodejs_heap_space_size_used_bytes{${OWN},space=~"old|large_object|code"})`,
        },
      ],
    },
    {
      ...{
        title: 'File descriptors in use',
        unit: 'percentunit',
        threshold: { at: 0.8 },
        runbook: 'bookingfiledescriptorslow',
      },
      description: 'Of those that the process may have open: connections of callers, partners and databases.',
      queries: [{ legend: '{{instance}}', expr: `process_open_fds{${OWN}} / process_max_fds{${OWN}}` }],
    },
    {
      title: 'Since a sweep last ran',
      unit: 's',
      runbook: 'bookingsweepnotrun',
      description: 'In any process, by sweep; each is run in one process at a time.',
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
      description: 'From memory, or made of claims where something had changed or half a second had passed.',
      queries: [{ legend: '{{from}}', expr: perSecond(`availability_reads_total{${API}}`, 'from') }],
    },
    {
      title: 'Kept in memory',
      unit: 'bytes',
      description: 'Rules and availability, as estimated, of each API process; bounded.',
      queries: [{ legend: '{{instance}} {{of}}', expr: `memory_kept_bytes{${API}}` }],
    },
    {
      title: 'Worked on together',
      unit: 'short',
      description:
        'How many reservations webhook delivery dispatches at a time on average, and how many holds hold expiry ends.',
      queries: [
        { legend: 'reservations', color: 'blue', expr: mean('event_dispatch_batch_size') },
        { legend: 'holds', color: 'orange', expr: mean('hold_expiry_batch_size') },
      ],
    },
  ],
};
