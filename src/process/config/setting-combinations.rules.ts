import { hasHashTag, redisAddress } from '../../platform/redis-address.rules.ts';
import { type Config, RETRY_DELAYS_SECONDS, WEBHOOK_TIMEOUT_MS } from './settings.ts';
import { insecureStores, isDirectConnection, mongodbFaults } from './store-connections.rules.ts';
import { weaknessOfEncryptionKeys, weaknessOfOperatorKey } from './weak-secrets.rules.ts';

/** Settings to check together; a setting that is already invalid by itself is undefined. */
type Settings = Partial<Config> & {
  /** NODE_TLS_REJECT_UNAUTHORIZED=0, which disables verification for all connections. */
  isTlsUnverified?: boolean;
};

const MIN_HOLD_SECONDS = 60;

/** Combinations of valid settings that break a promise of the service (ADR 0019): a sentence each, with the fix. */
export function settingsFaults(settings: Settings): string[] {
  const isProduction = settings.serviceMode === 'production';
  return [
    ...conflicts(settings),
    ...retentionFaults(settings),
    ...mongodbFaults(settings.mongodbUri ?? ''),
    ...(isProduction || isBeyondLoopback(settings) ? exposedFaults(settings) : []),
    ...(isProduction ? productionFaults(settings) : []),
  ];
}

/** Settings that are probably a mistake: a sentence each, for the log. */
export function settingsWarnings(settings: Settings): string[] {
  if (settings.serviceMode !== 'production') return [];
  const acceptedStores = insecureStores(settings).filter(({ isAccepted }) => isAccepted);
  return sentencesWhere([
    ...acceptedStores.map(
      ({ setting, optOut, weakness }) =>
        [true, `${optOut} is true: ${setting} ${weakness}; anyone on the network path can exploit that`] as const,
    ),
    [
      settings.rateLimitPerMinute === 0,
      'RATE_LIMIT_PER_MINUTE is 0: one partner can use up the whole service; set how many calls a minute each may make',
    ],
    [
      settings.archiveUrl === undefined && isAnythingDeleted(settings),
      'ARCHIVE_URL is not set: old rows are deleted for good; set it, or every RETENTION_..._DAYS to 0 (docs/retention.md)',
    ],
  ]);
}

export function isBeyondLoopback({ host, adminHost }: Pick<Settings, 'host' | 'adminHost'>): boolean {
  return [host, adminHost].some((each) => each !== undefined && !LOOPBACK.test(each));
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/i;

function conflicts({ port, adminPort, redisUrl, queuePrefix, ...settings }: Settings): string[] {
  const { webhookConcurrency = Number.POSITIVE_INFINITY, webhookUnhealthyConcurrency = 1 } = settings;
  const { operatorApiKey, encryptionKeys = [] } = settings;
  return sentencesWhere([
    [
      operatorApiKey !== undefined && encryptionKeys.some((key) => isSameSecret(operatorApiKey, key)),
      'OPERATOR_API_KEY must not be one of ENCRYPTION_KEYS: one leak would expose both; use different keys',
    ],
    [
      port !== undefined && port !== 0 && port === adminPort,
      'ADMIN_PORT must not be PORT: partners would reach the operator interface; give it a port of its own',
    ],
    [
      redisUrl !== undefined && redisAddress(redisUrl).kind === 'cluster' && !hasHashTag(queuePrefix ?? '{}'),
      'QUEUE_PREFIX must have a part in braces where REDIS_URL names a cluster: otherwise one queue lies on several nodes, and commands cannot span nodes; remove the setting for the default, {pbs}',
    ],
    [
      webhookUnhealthyConcurrency >= webhookConcurrency,
      'WEBHOOK_UNHEALTHY_CONCURRENCY must be below WEBHOOK_CONCURRENCY: one failing endpoint could use up all concurrent sends; lower the first or raise the second',
    ],
  ]);
}

function retentionFaults(settings: Settings): string[] {
  const { retentionDeliveriesDays = 0, retentionDeadLettersDays = retentionDeliveriesDays } = settings;
  const { archiveUrl = '', archiveAccessKeyId, archiveSecretAccessKey } = settings;
  return sentencesWhere([
    [
      daysOf(retentionDeadLettersDays) < daysOf(retentionDeliveriesDays),
      'RETENTION_DEAD_LETTERS_DAYS must not be below RETENTION_DELIVERIES_DAYS: undelivered events would be deleted before delivered ones; raise the first or lower the second',
    ],
    [
      archiveUrl.startsWith('s3:') && (archiveAccessKeyId === undefined || archiveSecretAccessKey === undefined),
      'ARCHIVE_URL of s3:// needs ARCHIVE_ACCESS_KEY_ID and ARCHIVE_SECRET_ACCESS_KEY: set both',
    ],
  ]);
}

/** Ignores dead letters: they are deleted only if deliveries are. */
function isAnythingDeleted(settings: Settings): boolean {
  return [
    settings.retentionHoldsDays,
    settings.retentionBookingsDays,
    settings.retentionEventsDays,
    settings.retentionDeliveriesDays,
    settings.retentionAuditDays,
  ].some((days = 0) => days > 0);
}

/** The days of a retention setting, in which 0 means for ever. */
const daysOf = (setting: number): number => (setting === 0 ? Number.POSITIVE_INFINITY : setting);

/** Whether `text` is the key, in base64 or raw. */
function isSameSecret(text: string, key: Buffer): boolean {
  return Buffer.from(text, 'base64').equals(key) || Buffer.from(text).equals(key);
}

/** Rejects guessable keys and webhooks into private networks: in production, and beyond loopback in any mode. */
function exposedFaults(settings: Settings): string[] {
  const { operatorApiKey, encryptionKeys } = settings;
  const operatorWeakness = operatorApiKey === undefined ? undefined : weaknessOfOperatorKey(operatorApiKey);
  const encryptionWeakness = encryptionKeys === undefined ? undefined : weaknessOfEncryptionKeys(encryptionKeys);
  return sentencesWhere([
    [
      operatorWeakness !== undefined,
      `OPERATOR_API_KEY ${operatorWeakness}; make one: node -p "crypto.randomBytes(32).toString('base64url')"`,
    ],
    [
      encryptionWeakness !== undefined,
      `ENCRYPTION_KEYS ${encryptionWeakness}; put a new key first: node -p "crypto.randomBytes(32).toString('base64')", and list each old key once after it, to decrypt`,
    ],
    [
      settings.webhookAllowPrivateNetworks === true,
      'WEBHOOK_ALLOW_PRIVATE_NETWORKS must be false in production, and where HOST or ADMIN_HOST is not loopback: partners could make this service call your own network; remove the setting',
    ],
  ]);
}

function productionFaults(settings: Settings): string[] {
  const { holdTtlSeconds = MIN_HOLD_SECONDS, webhookTimeoutMs = WEBHOOK_TIMEOUT_MS } = settings;
  const { webhookRetryDelaysSeconds: delaysSeconds = RETRY_DELAYS_SECONDS } = settings;
  const rejectedStores = insecureStores(settings).filter(({ isAccepted }) => !isAccepted);
  return sentencesWhere([
    ...rejectedStores.map(
      ({ setting, optOut, weakness }) =>
        [
          true,
          `${setting} ${weakness}: in production others must not be able to read or change this traffic; fix that or, if the network is yours alone, set ${optOut}=true`,
        ] as const,
    ),
    [
      settings.isTlsUnverified === true,
      'NODE_TLS_REJECT_UNAUTHORIZED must not be 0 in production: every connection would accept any certificate; remove the setting, and add a private certificate authority with NODE_EXTRA_CA_CERTS',
    ],
    [
      delaysSeconds.join() !== RETRY_DELAYS_SECONDS.join(),
      `WEBHOOK_RETRY_DELAYS_SECONDS must be ${RETRY_DELAYS_SECONDS.join()} in production: the contract promises these delays to partners; remove the setting`,
    ],
    [
      webhookTimeoutMs !== WEBHOOK_TIMEOUT_MS,
      `WEBHOOK_TIMEOUT_MS must be ${WEBHOOK_TIMEOUT_MS} in production: the contract promises that time to partners; remove the setting`,
    ],
    [
      settings.archiveEndpoint?.startsWith('http:') === true,
      'ARCHIVE_ENDPOINT must be https in production: archives contain customer data; use the https address of the store',
    ],
    [
      holdTtlSeconds < MIN_HOLD_SECONDS,
      `HOLD_TTL_SECONDS must be at least ${MIN_HOLD_SECONDS} in production: shorter holds are for tests; remove the setting to get the default, 600`,
    ],
    [
      isDirectConnection(settings.mongodbUri ?? ''),
      'MONGODB_URI must not have directConnection=true in production: the service would stay on one node when another becomes primary; name the set with replicaSet=',
    ],
  ]);
}

/** The sentences whose condition is true. */
function sentencesWhere(rows: readonly (readonly [boolean, string])[]): string[] {
  return rows.filter(([condition]) => condition).map(([, sentence]) => sentence);
}
