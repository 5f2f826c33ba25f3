/**
 * Rules that take longer than 60 s on purpose. Trials replace their windows by `window` and their `for` by 10 s.
 * promtool tests the original windows (test/metrics/rules.system.test.ts).
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

/** Rules that no trial raises on a real service, and why. promtool tests them, and other tests check their metrics. */
export const UNTRIED: Readonly<Record<string, string>> = {
  BookingZoneDataOutdated: 'it takes another version of Node',
  BookingWorkStalled: 'work stalls by a bug only, and after two minutes: each of its commands has a time limit',
  BookingBackupLate: 'it takes a cluster with kube-state-metrics',
  BookingDatabaseDiskNearlyFull: 'it takes a full disk, which others use too',
  BookingPurgeLate:
    'it takes two days, and a purge that fares well runs every ten minutes: no shorter limit is a trial',
};
