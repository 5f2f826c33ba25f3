import type { PortRange } from './port-ranges.rules.ts';

/** All settings, checked at the start; each process has those of `SETTINGS`. Names of durations end in their unit. */
export type Config = {
  host: string;
  adminHost: string;
  port: number;
  adminPort: number;
  healthPort: number;
  mongodbUri: string;
  redisUrl: string;
  /** Accept an insecure connection in production: one that others can read, change or open. */
  mongodbAllowInsecure: boolean;
  redisAllowInsecure: boolean;
  /** Accept a Redis without an append-only file, without a warning or an alert. */
  redisAllowVolatile: boolean;
  /** Prefix of every Redis key; the braces keep all queues on one slot of a Redis Cluster. */
  queuePrefix: string;
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
  /** Addresses and networks whose `X-Forwarded-For` and `X-Forwarded-Proto` are trusted. */
  trustedProxies: string[];
  keepAliveTimeoutMs: number;
  /** How many days ended rows are kept; 0 means for ever. */
  retentionHoldsDays: number;
  retentionBookingsDays: number;
  retentionEventsDays: number;
  retentionDeliveriesDays: number;
  retentionDeadLettersDays: number;
  retentionAuditDays: number;
  /** The archive for deleted rows, `file:///folder` or `s3://bucket/prefix`; without one they are gone. */
  archiveUrl?: string;
  /** The store of `s3://`; AWS by default. */
  archiveEndpoint?: string;
  archiveRegion: string;
  archiveAccessKeyId?: string;
  archiveSecretAccessKey?: string;
  /** The address alerts are posted to; its path may be secret. */
  alertUrl?: string;
  logLevel: string;
  /** The receiver of spans (OTLP over HTTP) and their sampling; OpenTelemetry reads these variables itself. */
  otelExporterOtlpEndpoint?: string;
  otelTracesSampler?: string;
  otelTracesSamplerArg?: number;
};

const OF_MONGODB = ['serviceMode', 'logLevel', 'mongodbUri', 'mongodbAllowInsecure'] as const;
const OF_WORK = [
  ...OF_MONGODB,
  'redisUrl',
  'redisAllowInsecure',
  'redisAllowVolatile',
  'queuePrefix',
  'alertUrl',
  'cacheLeaseMs',
  'otelExporterOtlpEndpoint',
  'otelTracesSampler',
  'otelTracesSamplerArg',
] as const;
const OF_WORKER = [...OF_WORK, 'adminHost', 'healthPort'] as const;
const OF_ARCHIVE = [
  'archiveUrl',
  'archiveEndpoint',
  'archiveRegion',
  'archiveAccessKeyId',
  'archiveSecretAccessKey',
] as const;
/** The addresses of the listeners decide how strong the keys must be, also in a process without listeners. */
const OF_SECRETS = ['encryptionKeys', 'host', 'adminHost'] as const;

/** The settings each process reads. A process neither asks for nor keeps a secret that it does not need. */
export const SETTINGS = {
  api: [
    ...OF_WORK,
    ...OF_SECRETS,
    'port',
    'adminPort',
    'operatorApiKey',
    'rateLimitPerMinute',
    'defaultTimeZone',
    'defaultRegion',
    'holdTtlSeconds',
    'maxActiveHolds',
    'bookingHorizonDays',
    'webhookRetryDelaysSeconds',
    'webhookAllowPrivateNetworks',
    'webhookPorts',
    'trustedProxies',
    'keepAliveTimeoutMs',
  ],
  'hold-expiry': [
    ...OF_WORKER,
    ...OF_ARCHIVE,
    'retentionHoldsDays',
    'retentionBookingsDays',
    'retentionEventsDays',
    'retentionDeliveriesDays',
    'retentionDeadLettersDays',
    'retentionAuditDays',
  ],
  'webhook-delivery': [
    ...OF_WORKER,
    ...OF_SECRETS,
    'webhookRetryDelaysSeconds',
    'webhookTimeoutMs',
    'webhookAllowPrivateNetworks',
    'webhookPorts',
    'webhookConcurrency',
    'webhookUnhealthyConcurrency',
  ],
  migrate: OF_MONGODB,
  backup: OF_MONGODB,
  restore: OF_MONGODB,
  'rewrap-secrets': [...OF_MONGODB, ...OF_SECRETS],
  'restore-archive': [...OF_MONGODB, ...OF_ARCHIVE],
  'moved-bookings': OF_MONGODB,
} as const satisfies Record<string, readonly (keyof Config)[]>;

export type ProcessName = keyof typeof SETTINGS;

export type ConfigOf<Name extends ProcessName> = Pick<Config, 'logLevel' | 'serviceMode' | 'mongodbUri'> &
  Pick<Config, (typeof SETTINGS)[Name][number]>;

export type WorkConfig = Pick<Config, (typeof OF_WORK)[number]>;

export type WorkerConfig = Pick<Config, (typeof OF_WORKER)[number]>;
