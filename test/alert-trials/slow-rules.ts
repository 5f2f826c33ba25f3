/**
 * Rules that take longer than 60 s on purpose, and why; by what window their own is replaced in trials, and their `for` by 10 s.
 * That they fire by their own windows, and not before, is tried by promtool (test/metrics/rules.system.test.ts).
 */
export const SLOW: Readonly<Record<string, { window: '1m' | '2m'; because: string }>> = {
  BookingProcessRestarting: { window: '2m', because: 'it counts starts within half an hour' },
  BookingHeapNearLimit: { window: '1m', because: 'a full collection empties a heap that is no leak' },
  BookingServerErrors: { window: '1m', because: 'a share of one in a hundred is chance in less' },
  BookingApiSlow: { window: '1m', because: 'a p99 of few calls is chance' },
  BookingWebhooksLate: { window: '1m', because: 'a share of few deliveries is chance' },
  BookingAttemptsFailing: {
    window: '1m',
    because: 'one endpoint that fails for minutes is its own business',
  },
  BookingDeadLetters: { window: '1m', because: 'it fires at once, and stays for an hour to be seen' },
};

/** Rules that no trial raises on a real service, and why; promtool alone tries them, and tests of each figure that it is right. */
export const UNTRIED: Readonly<Record<string, string>> = {
  BookingZoneDataOutdated: 'it takes another version of Node',
  BookingWorkStalled: 'work stalls by a bug only, and after two minutes: each of its commands has a time limit',
  BookingBackupLate: 'it takes a cluster with kube-state-metrics',
  BookingDatabaseDiskNearlyFull: 'it takes a full disk, which others use too',
  BookingPurgeLate:
    'it takes two days, and a purge that fares well runs every ten minutes: no shorter limit is a trial',
};
