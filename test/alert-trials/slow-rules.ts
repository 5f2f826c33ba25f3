/**
 * Rules that intentionally take longer than 60 s, and the reason. Trials replace their windows by `window` and their
 * `for` by 10 s. promtool tests the original windows (test/metrics/rules.system.test.ts).
 */
export const SLOW: Readonly<Record<string, { window: '1m' | '2m'; because: string }>> = {
  BookingProcessRestarting: { window: '2m', because: 'it counts starts within half an hour' },
  BookingHeapNearLimit: { window: '1m', because: 'a full garbage collection empties a heap without a leak' },
  BookingServerErrors: { window: '1m', because: 'in less time, one error in a hundred calls is chance' },
  BookingApiSlow: { window: '1m', because: 'a p99 of few calls is chance' },
  BookingWebhooksLate: { window: '1m', because: 'a share of few deliveries is chance' },
  BookingAttemptsFailing: {
    window: '1m',
    because: 'an endpoint that fails for some minutes needs no operator',
  },
  BookingDeadLetters: { window: '1m', because: 'it fires immediately, and stays for an hour so that people see it' },
};

/** Rules without a trial on a real service, and why. promtool tests them, and other tests check their metrics. */
export const UNTRIED: Readonly<Record<string, string>> = {
  BookingZoneDataOutdated: 'it needs another version of Node',
  BookingWorkStalled: 'work only stalls because of a bug: each of its commands has a time limit',
  BookingBackupLate: 'it needs a cluster with kube-state-metrics',
  BookingDatabaseDiskNearlyFull: 'it needs a full disk, which would affect others',
  BookingPurgeLate: 'it takes two days, and a shorter limit would not be the same rule',
};
