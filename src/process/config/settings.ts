import type { PortRange } from './port-ranges.rules.ts';

/** All settings there are, checked at start; each process has those of `SETTINGS`. Durations carry their unit in the name. */
export type Config = {
  host: string;
  adminHost: string;
  port: number;
  adminPort: number;
  /** Of a worker's listener, on `adminHost`. */
  healthPort: number;
  mongodbUri: string;
  redisUrl: string;
  /** In production: each connection may be one that others can read, change or open. */
  mongodbAllowInsecure: boolean;
  redisAllowInsecure: boolean;
  /** Prefix of every Redis key; the braces keep all queues on one slot of a Redis Cluster. */
  queuePrefix: string;
  /** For how long at least what is in memory may be relied on once its version was read. */
  cacheLeaseMs: number;
  operatorApiKey: string;
  /** 32-byte keys; the first encrypts, all decrypt. */
  encryptionKeys: Buffer[];
  serviceMode: 'sandbox' | 'production';
  defaultTimeZone: string;
  defaultRegion: string;
  holdTtlSeconds: number;
  maxActiveHolds: number;
  bookingHorizonDays: number;
  /** One entry per retry: a delivery has one attempt more than there are delays. */
  webhookRetryDelaysSeconds: number[];
  webhookTimeoutMs: number;
  webhookAllowPrivateNetworks: boolean;
  /** The ports of partners' endpoints; where private networks are allowed, any is. */
  webhookPorts: PortRange[];
  webhookConcurrency: number;
  webhookUnhealthyConcurrency: number;
  /** Calls of one partner in a minute; 0 means no limit. */
  rateLimitPerMinute: number;
  /** Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed. */
  trustedProxies: string[];
  /** For how long an idle connection of a caller or proxy is kept open. */
  keepAliveTimeoutMs: number;
  /** For how many days rows are kept once they are over; 0 means for ever. */
  retentionHoldsDays: number;
  retentionBookingsDays: number;
  retentionEventsDays: number;
  retentionDeliveriesDays: number;
  retentionDeadLettersDays: number;
  retentionAuditDays: number;
  /** Where rows are kept before they are deleted, `file:///folder` or `s3://bucket/prefix`; absent: nowhere. */
  archiveUrl?: string;
  /** Of the store of `s3://`: AWS where it is absent. */
  archiveEndpoint?: string;
  archiveRegion: string;
  archiveAccessKeyId?: string;
  archiveSecretAccessKey?: string;
  /** Where alerts are posted; its path may be a secret. */
  alertUrl?: string;
  logLevel: string;
  /** Where spans are sent (OTLP over HTTP), and which of them; OpenTelemetry reads these variables itself. */
  otelExporterOtlpEndpoint?: string;
  otelTracesSampler?: string;
  otelTracesSamplerArg?: number;
};

const OF_MONGODB = ['serviceMode', 'logLevel', 'mongodbUri', 'mongodbAllowInsecure'] as const;
const OF_WORK = [
  ...[...OF_MONGODB, 'redisUrl', 'redisAllowInsecure', 'queuePrefix', 'alertUrl', 'cacheLeaseMs'],
  ...['otelExporterOtlpEndpoint', 'otelTracesSampler', 'otelTracesSamplerArg'],
] as const;
const OF_WORKER = [...OF_WORK, 'adminHost', 'healthPort'] as const;
const OF_ARCHIVE = [
  ...['archiveUrl', 'archiveEndpoint', 'archiveRegion', 'archiveAccessKeyId', 'archiveSecretAccessKey'],
] as const;
const OF_RETENTION = [
  ...['retentionHoldsDays', 'retentionBookingsDays', 'retentionEventsDays', 'retentionDeliveriesDays'],
  ...['retentionDeadLettersDays', 'retentionAuditDays'],
] as const;
/** Where the listeners are decides how strong the keys must be, in a process without listeners too. */
const OF_SECRETS = ['encryptionKeys', 'host', 'adminHost'] as const;

/** What each process reads of the environment. A secret that it does not need it neither asks for nor keeps. */
export const SETTINGS = {
  api: [
    ...[...OF_WORK, ...OF_SECRETS, 'port', 'adminPort', 'operatorApiKey', 'rateLimitPerMinute'],
    ...['defaultTimeZone', 'defaultRegion', 'holdTtlSeconds', 'maxActiveHolds', 'bookingHorizonDays'],
    ...['webhookRetryDelaysSeconds', 'webhookAllowPrivateNetworks', 'webhookPorts', 'trustedProxies'],
    'keepAliveTimeoutMs',
  ],
  'hold-expiry': [...OF_WORKER, ...OF_RETENTION, ...OF_ARCHIVE],
  'webhook-delivery': [
    ...[...OF_WORKER, ...OF_SECRETS, 'webhookRetryDelaysSeconds', 'webhookTimeoutMs'],
    ...['webhookAllowPrivateNetworks', 'webhookPorts', 'webhookConcurrency', 'webhookUnhealthyConcurrency'],
  ],
  migrate: OF_MONGODB,
  backup: OF_MONGODB,
  restore: OF_MONGODB,
  'rewrap-secrets': [...OF_MONGODB, ...OF_SECRETS],
  'restore-archive': [...OF_MONGODB, ...OF_ARCHIVE],
  'moved-bookings': OF_MONGODB,
} as const satisfies Record<string, readonly (keyof Config)[]>;

export type ProcessName = keyof typeof SETTINGS;

/** The settings of one process. */
export type ConfigOf<Name extends ProcessName> = Pick<Config, 'logLevel' | 'serviceMode' | 'mongodbUri'> &
  Pick<Config, (typeof SETTINGS)[Name][number]>;

/** The settings that every process has which does the service's work. */
export type WorkConfig = Pick<Config, (typeof OF_WORK)[number]>;

/** The settings that every worker has. */
export type WorkerConfig = Pick<Config, (typeof OF_WORKER)[number]>;
