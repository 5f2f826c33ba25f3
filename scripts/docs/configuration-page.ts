import type Joi from 'joi';
import { camelCase } from '../../src/platform/objects.ts';
import { PROCESS_NAMES } from '../../src/process/config/config.ts';
import type { PortRange } from '../../src/process/config/port-ranges.rules.ts';
import { formatPortRanges } from '../../src/process/config/port-ranges.rules.ts';
import { type Config, SETTINGS } from '../../src/process/config/settings.ts';

const HEAD = `# Configuration

Every process reads its settings from the environment when it starts. If settings are invalid, the process lists each
with a fix, and exits with code 1.

- \`npm start\` needs no settings: it makes its own databases and secrets.
- A deployment sets the [required settings](#required), and \`SERVICE_MODE=production\` where real slots are sold.
- \`.env.example\` lists all settings with their defaults, ready to copy.
- An empty value means the default. Do not put values in quotes.
- No process starts if a variable's name resembles that of a setting: the name is probably mistyped.

**Production mode** rejects weak secrets, databases without verified TLS or a password, hold lifetimes below 60 s, and a
Redis that evicts keys. Sandbox mode rejects weak secrets only if a listener is not on loopback.

Generated from the code by \`npm run docs\`.
`;

const FOOT = `
## Outside the processes

No process of the service reads these variables.

| Name | Default | What it does |
|---|---|---|
| \`DATA_DIR\` | \`.data\` | Where \`npm start\` keeps databases, secrets and logs, and \`npm run operator\` finds the key |
| \`PBS_CACHE_DIR\` | \`~/.cache/partner-booking-service\` | Where \`npm start\` and the tests keep MongoDB, Redis and other downloads |
| \`OPERATOR_URL\` | the service on this machine | The operators' listener that \`npm run operator\` calls |
| \`REDIS_PASSWORD\` | none | Compose: Redis' password (hexadecimal digits) |
| \`CPUS\` | 1 | Compose: CPUs of a container |
| \`PUBLIC_HOST\` | none | \`docker-compose.tls.yml\`: the host name that partners call |
| \`ADMIN_PORTS\` | \`3001-3010\` | \`docker-compose.tls.yml\`: admin ports of the API containers on the host |
| \`NODE_IMAGE\`, \`MONGO_IMAGE\`, \`REDIS_IMAGE\`, \`CADDY_IMAGE\` | see \`.env.example\` | Compose: images; pin them by digest |
`;

/** The page's text about a setting. `allowed` replaces the bounds from the code. */
type Entry = { about: string; allowed?: string };
type Group = { title: string; intro?: string; settings: Partial<Record<keyof Config, Entry | string>> };

const GROUPS: readonly Group[] = [
  {
    title: 'Required',
    intro: `These settings have no default. To generate the two secrets:

\`\`\`sh
node -p "crypto.randomBytes(32).toString('base64url')"   # OPERATOR_API_KEY
node -p "crypto.randomBytes(32).toString('base64')"      # ENCRYPTION_KEYS
\`\`\``,
    settings: {
      mongodbUri: {
        about:
          'MongoDB 6.0 or newer, as a [replica set](topologies.md) of one or more members. The URI must name a database',
        allowed: '`mongodb://…`, `mongodb+srv://…`',
      },
      redisUrl: {
        about:
          'Redis 6.2 or newer, or Valkey: one server, sentinels or a cluster ([topologies](topologies.md)). It needs `noeviction` and, if possible, an append-only file. `rediss…` uses TLS',
        allowed: '`redis://host`, `redis+sentinel://h1,h2/name`, `redis+cluster://h1,h2`',
      },
      operatorApiKey: {
        about: "The operators' key. It must be random in production, and if a listener is not on loopback",
        allowed: '32 characters or more',
      },
      encryptionKeys: {
        about:
          'Keys that encrypt stored secrets: the first key encrypts, all keys decrypt. [How to change a key](production.md#encryption_keys)',
        allowed: 'comma list of base64, 32 bytes each',
      },
    },
  },
  {
    title: 'Mode, listeners and connections',
    settings: {
      serviceMode:
        '`sandbox` adds `/api/v1/sandbox/…` for tests. `production` checks more at start, and only certified partners get keys',
      host: {
        about: "Address of the partners' listener. `npm start` uses `127.0.0.1`",
        allowed: 'name or address',
      },
      port: "Port of the partners' listener; 0 picks a free one",
      adminHost: {
        about:
          "Address of the operators' listener and of workers' health. An address beyond loopback must be reachable only from a private network. The Docker image sets `0.0.0.0`",
        allowed: 'name or address',
      },
      adminPort: "Port of the operators' listener; 0 picks a free one. It must differ from `PORT`",
      healthPort:
        'Port of a worker for `/healthz`, `/readyz` and `/metrics`. Workers on one machine need different ports; 0 picks a free one',
      trustedProxies: {
        about:
          'The proxies in front of the service, which trusts `X-Forwarded-For` only from them ([proxies](proxies.md))',
        allowed: 'comma list of addresses, networks, `loopback`, `linklocal`, `uniquelocal`',
      },
      keepAliveTimeoutMs:
        'How long an idle connection stays open. It must exceed the idle time of the [proxy](proxies.md) in front',
      mongodbAllowInsecure:
        'If `true`, production accepts a MongoDB without verified TLS or password, and warns at each start',
      redisAllowInsecure:
        'If `true`, production accepts a Redis without verified TLS or password, and warns at each start',
      redisAllowVolatile:
        'Accepts a Redis without an append-only file, such as many managed services: no warning, no alert `redis_volatile`',
      queuePrefix: {
        about: 'Prefix of every Redis key. A Redis Cluster needs the braces: they keep the queues on one hash slot',
        allowed: 'text',
      },
      cacheLeaseMs:
        'How long a process may use cached rules (the lease). A call that takes something off sale waits 1.2 leases before its response. See [a slow database](production.md#a-slow-database). Before you shorten the lease, stop all processes and delete the collection `cache_leases`',
    },
  },
  {
    title: 'Selling',
    settings: {
      defaultTimeZone: { about: 'Time zone of venues without `time_zone`', allowed: 'IANA name' },
      defaultRegion: {
        about: 'Region of phone numbers without a country code',
        allowed: 'two capital letters',
      },
      holdTtlSeconds: 'Lifetime of a hold without `ttl_seconds`. At least 60 in production',
      maxActiveHolds: 'Active holds that one partner may have',
      bookingHorizonDays: 'How many days ahead slots are sold',
      rateLimitPerMinute: 'Calls of one partner in a minute, over all API processes; 0 switches the limit off',
    },
  },
  {
    title: 'Webhooks',
    settings: {
      webhookRetryDelaysSeconds: {
        about: 'Delays before the second and later attempts. Production accepts only the default',
        allowed: 'comma list of numbers above 0',
      },
      webhookTimeoutMs: 'Time for an attempt: connect, headers and body. Production accepts only the default',
      webhookConcurrency:
        'Concurrent sends of one worker process. At most a quarter go to one endpoint, half to one partner',
      webhookUnhealthyConcurrency:
        'Concurrent sends to an endpoint that failed 3 times in a row. Must be below `WEBHOOK_CONCURRENCY`',
      webhookPorts: {
        about: "Ports that partners' endpoints may have. If private networks are allowed, any port is allowed",
        allowed: 'comma list of ports and ranges',
      },
      webhookAllowPrivateNetworks:
        'Allows `http` and private addresses as endpoints. For development only: rejected in production, and if a listener is reachable beyond loopback',
    },
  },
  {
    title: 'Retention and archive',
    intro: '0 days means forever ([retention](retention.md)).',
    settings: {
      retentionHoldsDays: 'Days to keep unconfirmed holds',
      retentionBookingsDays: 'Days to keep bookings after their slot',
      retentionEventsDays: 'Days to keep events',
      retentionDeliveriesDays: 'Days to keep ended deliveries, except dead letters',
      retentionDeadLettersDays: 'Days to keep dead letters; not below `RETENTION_DELIVERIES_DAYS`',
      retentionAuditDays: 'Days to keep audit rows',
      archiveUrl: {
        about: 'Where rows are written before they are deleted. A `file:` folder must exist',
        allowed: '`file:///folder`, `s3://bucket/prefix`',
      },
      archiveEndpoint: {
        about: 'Address of an S3-compatible store other than AWS; `https` in production',
        allowed: 'http or https address',
      },
      archiveRegion: { about: 'Region of the S3 store', allowed: 'text' },
      archiveAccessKeyId: { about: 'Access key; needed for `s3://`', allowed: 'text' },
      archiveSecretAccessKey: { about: 'Its secret; needed for `s3://`', allowed: 'text' },
    },
  },
  {
    title: 'Alerts, logs and traces',
    intro: 'See [alerts and metrics](guides/alerts-and-metrics.md).',
    settings: {
      alertUrl: {
        about: 'Address that receives alerts as JSON POSTs, at most one a minute',
        allowed: 'http or https address',
      },
      logLevel: 'Lowest level of log lines that are written',
      otelExporterOtlpEndpoint: {
        about: 'An OpenTelemetry collector (OTLP over HTTP). Without it, no traces are sent',
        allowed: 'http or https address',
      },
      otelTracesSampler: 'Which traces are sent. Default: a tenth of them',
      otelTracesSamplerArg: 'The argument of the sampler, such as a ratio',
    },
  },
];

const RULES: Record<string, Joi.Schema> = Object.fromEntries(
  Object.values(SETTINGS).flatMap((settings) => Object.entries<Joi.Schema>(settings)),
);

/** docs/configuration.md: every setting with its default, its bounds and the processes that read it. */
export function configurationPage(): string {
  const describedFields = GROUPS.flatMap(({ settings }) => Object.keys(settings));
  const missing = Object.keys(RULES).filter((variable) => !describedFields.includes(camelCase(variable)));
  if (missing.length > 0)
    throw new Error(`scripts/docs/configuration-page.ts does not describe ${missing.join(', ')}.`);
  return HEAD + GROUPS.map(section).join('') + FOOT;
}

function section({ title, intro, settings }: Group): string {
  const rows = Object.entries(settings).map(([field, entry]) => {
    const { about, allowed }: Entry = typeof entry === 'string' ? { about: entry } : entry;
    const [variable = '', rule] = Object.entries(RULES).find(([name]) => camelCase(name) === field) ?? [];
    if (rule === undefined) throw new Error(`The code has no setting ${field}.`);
    const description = rule.describe() as Description;
    const defaultText = defaultOf(description.flags?.default);
    return `| \`${variable}\` | ${defaultText} | ${allowed ?? boundsOf(description)} | ${readersOf(variable)} | ${about} |\n`;
  });
  const header = '| Name | Default | Allowed | Read by | What it does |\n|---|---|---|---|---|\n';
  return `\n## ${title}\n\n${intro === undefined ? '' : `${intro}\n\n`}${header}${rows.join('')}`;
}

type Default = string | number | boolean | (string | number | PortRange)[];

/** The part of joi's description of a rule that this page reads. */
type Description = Omit<Joi.Description, 'flags' | 'rules'> & {
  flags?: { default?: Default; only?: boolean };
  allow?: unknown[];
  notes?: string[];
  rules?: { name: string; args?: { limit?: number } }[];
};

function defaultOf(value: Default = ''): string {
  const items = Array.isArray(value) ? value : [value];
  const text = items.map((item) => (typeof item === 'object' ? formatPortRanges([item]) : item)).join();
  return text === '' ? 'none' : `\`${text}\``;
}

/** The bounds in words: the rule's note, its values, or its minimum and maximum. */
function boundsOf({ type, flags, allow = [], notes, rules = [] }: Description): string {
  if (notes !== undefined) return notes.join();
  if (type === 'boolean') return '`true`, `false`';
  if (flags?.only === true) return allow.map((value) => `\`${String(value)}\``).join(', ');
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  if (rules.some(({ name }) => name === 'port')) return '0 to 65535';
  const [min, max] = [limitOf('min'), limitOf('max')];
  if (min === undefined) throw new Error('A setting has no bounds to show: give it `allowed`.');
  return max === undefined ? `${min} or more` : `${min} to ${max}`;
}

/** The processes that read a setting, including commands such as `migrate`. */
function readersOf(variable: string): string {
  const readers = PROCESS_NAMES.filter((name) => Object.hasOwn(SETTINGS[name], variable));
  if (readers.length === PROCESS_NAMES.length) return 'all';
  const isMain = readers.join() === 'api,hold-expiry,webhook-delivery';
  return isMain ? 'API, workers' : readers.map((name) => `\`${name}\``).join(', ');
}
