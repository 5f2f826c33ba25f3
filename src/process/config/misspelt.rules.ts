import leven from 'leven';

/** The beginnings of names that only this service uses. */
const OURS =
  /^(ARCHIVE|BOOKING_HORIZON|CACHE_LEASE|ENCRYPTION|HOLD_TTL|MAX_ACTIVE|MONGODB|OPERATOR|RATE_LIMIT|REDIS|RETENTION|TRUSTED_PROX|WEBHOOK)/;

/** Variables that Kubernetes and Docker set for a service called `redis`, `webhook` and the like. */
const OF_A_SERVICE = /_SERVICE_(HOST|PORT)|_PORT_\d+_(TCP|UDP|SCTP)/;
const SERVICE_ADDRESS = /^(tcp|udp|sctp):\/\//;

const MAX_TYPING_ERRORS = 2;

/**
 * A sentence for each variable that is probably a misspelt setting: its name differs in up to two letters from that of
 * an unset setting, or either name continues the other with `_`. Other names are ignored.
 */
export function misspeltFaults(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  const given = new Map(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''));
  const missing = known.filter((name) => !given.has(name) && OURS.test(name));
  return [...given]
    .filter(([name]) => OURS.test(name) && !known.includes(name))
    .filter(([name, value = '']) => !OF_A_SERVICE.test(name) && !SERVICE_ADDRESS.test(value))
    .flatMap(([name]) => {
      const meant = missing.find((each) => isNear(name, each));
      return meant === undefined ? [] : [`${name} is no setting: rename it to ${meant}, or remove it`];
    });
}

function isNear(name: string, known: string): boolean {
  if (known.startsWith(`${name}_`) || name.startsWith(`${known}_`)) return true;
  return leven(name, known) <= MAX_TYPING_ERRORS;
}
