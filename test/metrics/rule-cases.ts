/** Series in promtool's notation, by name and labels: `1x90` is 1 for 90 minutes, `0+6x90` grows by 6 a minute. */
export type SeriesByName = Readonly<Record<string, string>>;

const API = 'job="partner-booking-api",instance="api:3001"';
const WORKER = 'job="partner-booking-webhook-delivery",instance="webhook-delivery:3002"';
const EXPIRY = 'job="partner-booking-hold-expiry",instance="hold-expiry:3002"';
const ok = (method: string, route: string) =>
  `http_request_duration_seconds_count{${API},listener="partner",method="${method}",route="${route}",status="201"}`;
const failed = (route: string, status = '500') =>
  `http_request_duration_seconds_count{${API},listener="partner",method="POST",route="${route}",status="${status}"}`;
const took = (le: string) =>
  `http_request_duration_seconds_bucket{${API},listener="partner",route="/api/v1/partner/holds",le="${le}"}`;
const arrived = (le: string) => `webhook_commit_to_success_seconds_bucket{${WORKER},le="${le}"}`;
const attempts = (outcome: string) => `webhook_attempts_total{${WORKER},attempt="1",outcome="${outcome}"}`;
const stalled = (process: string) => `work_stalled{${process},work="sweep alerts"}`;
const ranAt = (sweep: string, target = EXPIRY) => `sweep_last_run_timestamp_seconds{${target},sweep="${sweep}"}`;
const intervalOf = (sweep: string) => `sweep_interval_seconds{${EXPIRY},sweep="${sweep}"}`;
const oldSpace = `nodejs_heap_space_size_used_bytes{${API},space="old"}`;
const HOLDS = '/api/v1/partner/holds';
const CONFIRM = '/api/v1/bookings/confirm';

/** A healthy service with one API process and one worker. */
export const HEALTHY: SeriesByName = {
  ...Object.fromEntries(
    [API, WORKER].flatMap((target) => [
      [`up{${target}}`, '1x90'],
      [`process_start_time_seconds{${target}}`, '1000x90'],
      [`nodejs_eventloop_lag_p99_seconds{${target}}`, '0.052x90'],
      [`nodejs_heap_space_size_used_bytes{${target},space="old"}`, '90000000x90'],
      [`nodejs_heap_space_size_used_bytes{${target},space="new"}`, '20000000x90'],
      [`process_open_fds{${target}}`, '60x90'],
      [`process_max_fds{${target}}`, '1000x90'],
      [`mongodb_connection_waiters{${target}}`, '0x90'],
      [stalled(target), '0x90'],
      [`time_zone_data_outdated{${target}}`, '0x90'],
      [`time_zone_data_info{${target},version="2026b"}`, '1x90'],
    ]),
  ),
  [`pbs_database_up{${API}}`]: '1x90',
  [`pbs_redis_up{${API}}`]: '1x90',
  [`pbs_redis_refuses_writes{${API}}`]: '0x90',
  [`pbs_redis_persistence_failing{${API}}`]: '0x90',
  [`pbs_redis_memory_used_ratio{${API}}`]: '0.2x90',
  [`pbs_database_disk_used_ratio{${API}}`]: '0.5x90',
  [`pbs_guard_indexes_missing{${API}}`]: '0x90',
  [`pbs_event_oldest_undispatched_seconds{${API}}`]: '0x90',
  [`pbs_hold_oldest_overdue_seconds{${API}}`]: '0x90',
  [`pbs_endpoints_failing{${API}}`]: '0x90',
  [`pbs_dead_letters_total{${API}}`]: '7x90',
  [`pbs_alerts_open{${API},kind="delivery_overdue"}`]: '0x90',
  [`pbs_alerts_open{${API},kind="wrong_keys"}`]: '0x90',
  [`pbs_alerts_open{${API},kind="redis_volatile"}`]: '0x90',
  [`pbs_queue_paused{${API},queue="webhook-delivery"}`]: '0x90',
  [`pbs_queue_workers{${API},queue="webhook-delivery"}`]: '1x90',
  [`memory_leased{${API}}`]: '1x90',
  [ranAt('lapsed-holds')]: '0+60x90',
  [intervalOf('lapsed-holds')]: '3x90',
  [ranAt('retention')]: '0+60x90',
  [intervalOf('retention')]: '600x90',
  [ok('GET', '/api/v1/partner/venues')]: '0+600x90',
  [ok('POST', HOLDS)]: '0+60x90',
  [ok('POST', CONFIRM)]: '0+30x90',
  [took('0.5')]: '0+60x90',
  [took('1')]: '0+60x90',
  [took('2.5')]: '0+60x90',
  [took('+Inf')]: '0+60x90',
  [arrived('10')]: '0+30x90',
  [arrived('30')]: '0+30x90',
  [arrived('60')]: '0+30x90',
  [arrived('+Inf')]: '0+30x90',
  [attempts('succeeded')]: '0+30x90',
};

/**
 * Changes to HEALTHY that raise only this alert after an hour. `quiet`: the closest changes that raise no alert. `_x90`
 * is a series that is absent.
 */
export type RuleCase = { alert: string; firing: SeriesByName; quiet: SeriesByName };

const absent = (...parts: string[]): SeriesByName =>
  Object.fromEntries(
    Object.keys(HEALTHY)
      .filter((name) => parts.some((part) => name.includes(part)))
      .map((name) => [name, '_x90']),
  );
const changing = (alert: string, name: string, firing: string, quiet: string): RuleCase => ({
  alert,
  firing: { [name]: firing },
  quiet: { [name]: quiet },
});

/** Changes only at the end of the hour, too late for an alert that waits. */
const AT_THE_END = (usual: string, now: string) => `${usual}x59 ${now}x30`;

export const RULE_CASES: readonly RuleCase[] = [
  {
    alert: 'BookingApiAbsent',
    firing: absent(API),
    quiet: { ...absent('api:3001'), ...renamed(absent('api:3001'), 'api:3001', 'api-2:3001') },
  },
  changing('BookingProcessDown', `up{${WORKER}}`, '0x90', '1x58 0 1x31'),
  changing(
    'BookingProcessRestarting',
    `process_start_time_seconds{${WORKER}}`,
    '1000x35 2000x7 3000x7 4000x40',
    '1000x40 2000x7 3000x40',
  ),
  changing('BookingEventLoopBlocked', `nodejs_eventloop_lag_p99_seconds{${API}}`, '0.35x90', AT_THE_END('0.05', '2')),
  {
    alert: 'BookingZoneDataOutdated',
    firing: { [`time_zone_data_info{${EXPIRY},version="2025c"}`]: '1x90' },
    quiet: { [`time_zone_data_outdated{${API}}`]: '1x20 0x70' },
  },
  changing('BookingHeapNearLimit', oldSpace, '240000000x90', '220000000x90'),
  changing('BookingFileDescriptorsLow', `process_open_fds{${API}}`, '900x90', '700x90'),
  changing('BookingWorkStalled', stalled(WORKER), '1x90', AT_THE_END('0', '1')),
  {
    alert: 'BookingSweepNotRun',
    // A sweep with an interval of 3 s is late after 32 s; one with ten minutes, after 40 minutes.
    firing: { [ranAt('lapsed-holds')]: '0+60x58 3480x40' },
    quiet: {
      [ranAt('retention')]: '0+60x25 1500x70',
      // The process that ran the sweep has ended. The other has failed to get the lock since its start, and takes over
      // soon.
      [ranAt('lapsed-holds')]: '-86400x90',
      [ranAt('lapsed-holds', EXPIRY.replace(':3002', '-2:3002'))]: '0+60x60 _x30',
    },
  },
  {
    alert: 'BookingDatabaseDown',
    firing: { ...absent('pbs_'), [`pbs_database_up{${API}}`]: '0x90' },
    quiet: { [`pbs_database_up{job="partner-booking-api",instance="api-2:3001"}`]: '0x90' },
  },
  changing('BookingRedisDown', `pbs_redis_up{${API}}`, '0x90', AT_THE_END('1', '0')),
  changing('BookingRedisRefusesWrites', `pbs_redis_refuses_writes{${API}}`, '1x90', AT_THE_END('0', '1')),
  changing('BookingRedisPersistenceFailing', `pbs_redis_persistence_failing{${API}}`, '1x90', AT_THE_END('0', '1')),
  {
    alert: 'BookingRedisVolatile',
    firing: { [`pbs_alerts_open{${API},kind="redis_volatile"}`]: '1x90' },
    quiet: { [`pbs_redis_persistent{${API}}`]: '0x90' },
  },
  changing('BookingRedisMemoryNearLimit', `pbs_redis_memory_used_ratio{${API}}`, '0.86x90', '0.84x90'),
  {
    alert: 'BookingBackupLate',
    // The backup has never succeeded.
    firing: { 'kube_cronjob_created{namespace="a",cronjob="partner-booking-backup"}': '-9000x90' },
    quiet: {
      'kube_cronjob_created{namespace="a",cronjob="partner-booking-backup"}': '-90000x90',
      'kube_cronjob_status_last_successful_time{namespace="a",cronjob="partner-booking-backup"}': '0x90',
      'kube_cronjob_created{namespace="b",cronjob="backup"}': '-90000x90',
    },
  },
  changing('BookingDatabaseDiskNearlyFull', `pbs_database_disk_used_ratio{${API}}`, '0.86x90', '0.84x90'),
  changing('BookingFiguresAbsent', `pbs_hold_oldest_overdue_seconds{${API}}`, '_x90', AT_THE_END('0', '_')),
  changing('BookingGuardMissing', `pbs_guard_indexes_missing{${API}}`, '1x90', '0x59 1x30'),
  changing('BookingMemoryLeaseLost', `memory_leased{${API}}`, '0x90', AT_THE_END('1', '0')),
  changing('BookingDatabasePoolExhausted', `mongodb_connection_waiters{${API}}`, '3x90', AT_THE_END('0', '900')),
  { alert: 'BookingSalesFailing', firing: { [failed(HOLDS)]: '0+4x90' }, quiet: { [failed(HOLDS)]: '0+2x90' } },
  {
    alert: 'BookingServerErrors',
    firing: { [failed('/api/v1/partner/webhooks', '503')]: '0+9x90' },
    quiet: { [failed('/readyz', '503')]: '0+60x90', [failed('/api/v1/partner/webhooks', '500')]: '0+5x90' },
  },
  {
    alert: 'BookingApiSlow',
    firing: { [took('0.5')]: '0+55x90', [took('1')]: '0+58x90' },
    quiet: { [took('0.5')]: '0+55x90' },
  },
  changing('BookingHoldsOverdue', `pbs_hold_oldest_overdue_seconds{${API}}`, '31x90', '29x90'),
  changing('BookingWrongKeys', `pbs_alerts_open{${API},kind="wrong_keys"}`, '1x90', '1x30 0x60'),
  changing('BookingQueuePaused', `pbs_queue_paused{${API},queue="webhook-delivery"}`, '1x90', '0x59 1x30'),
  changing('BookingWorkerAbsent', `pbs_queue_workers{${API},queue="webhook-delivery"}`, '0x90', '1x59 0x30'),
  changing('BookingEventsUndispatched', `pbs_event_oldest_undispatched_seconds{${API}}`, '31x90', '29x90'),
  changing('BookingDeliveriesOverdue', `pbs_alerts_open{${API},kind="delivery_overdue"}`, '1x90', '1x30 0x60'),
  changing(
    'BookingPurgeLate',
    `pbs_retention_completed_timestamp_seconds{${API},collection="holds"}`,
    '-180000x90',
    '-160000x90',
  ),
  {
    alert: 'BookingWebhooksLate',
    firing: { [arrived('10')]: '0+15x90', [arrived('30')]: '0+20x90' },
    quiet: { [arrived('10')]: '0+15x90', [arrived('30')]: '0+29x90' },
  },
  {
    alert: 'BookingAttemptsFailing',
    firing: { [attempts('timeout')]: '0+40x90' },
    quiet: { [attempts('timeout')]: '0+20x90' },
  },
  changing('BookingEndpointsFailing', `pbs_endpoints_failing{${API}}`, '1x90', AT_THE_END('0', '1')),
  // The total survives restarts, and does not grow from them.
  changing('BookingDeadLetters', `pbs_dead_letters_total{${API}}`, '7x40 9x50', '7x20 _x10 7x60'),
];

/** The series of HEALTHY for another instance. */
function renamed(names: SeriesByName, instance: string, other: string): SeriesByName {
  return Object.fromEntries(Object.keys(names).map((name) => [name.replace(instance, other), HEALTHY[name] ?? '']));
}
