import { parseUrl } from './parse-url.ts';

/** The host of a sentinel, or of any cluster node. */
export type RedisHost = { host: string; port: number };

type Credentials = { username?: string; password?: string };

/** What `REDIS_URL` names: a server, a master watched by sentinels, or a cluster; with credentials. */
type RedisAddress = { isEncrypted: boolean } & Credentials &
  (
    | { kind: 'server'; db: number }
    | { kind: 'sentinel'; hosts: RedisHost[]; master: string; db: number; sentinelCredentials: Credentials }
    | { kind: 'cluster'; hosts: RedisHost[] }
  );

const SCHEMES = 'must be a redis:// or rediss:// address, or redis+sentinel://, redis+cluster:// (with TLS rediss+…)';
const PARTS =
  /^redis(?<tls>s?)\+(?<kind>sentinel|cluster):\/\/(?:(?<user>[^@/?#]*)@)?(?<hosts>[^@/?#]*)(?:\/(?<path>[^?#]*))?(?:\?(?<query>[^#]*))?$/;
const HOST = /^(?:\[(?<v6>[\da-f:.]+)\]|(?<name>[\w.-]+))(?::(?<port>\d{1,5}))?$/i;
const PORTS = { sentinel: 26_379, cluster: 6379 };

/**
 * Reads `redis[s]://[user:password@]host[:port][/db]`,
 * `redis[s]+sentinel://[user:password@]host[:port],…/master[/db][?sentinel_username=…&sentinel_password=…]` and
 * `redis[s]+cluster://[user:password@]host[:port],…`.
 * @throws Error with a message that follows the variable's name and contains no part of the address
 */
export function redisAddress(value: string): RedisAddress {
  if (/^rediss?:/i.test(value)) return serverAddress(value);
  const parts = PARTS.exec(value)?.groups;
  if (parts === undefined) throw new Error(SCHEMES);
  const { tls, kind, user = '', hosts = '', path = '', query = '' } = parts;
  const isEncrypted = tls === 's';
  const [username = '', password = ''] = user.split(/:(.*)/s, 2);
  const common = { isEncrypted, ...credentials(username, password) };
  if (kind === 'cluster') {
    if (path !== '' || query !== '')
      throw new Error('must end after the hosts of a cluster, which has no databases and no options here');
    return { kind, ...common, hosts: hostsOf(hosts, PORTS.cluster) };
  }
  return { kind: 'sentinel', ...common, hosts: hostsOf(hosts, PORTS.sentinel), ...watchedMaster(path, query) };
}

/** Whether all keys with this prefix share one slot of a cluster: Redis hashes the text in the first braces. */
export function hasHashTag(prefix: string): boolean {
  return /^[^{]*\{[^}]+\}/.test(prefix);
}

function serverAddress(value: string): RedisAddress {
  const url = parseUrl(value);
  if (url === undefined || !/^rediss?:\/\/./i.test(value)) throw new Error(SCHEMES);
  if (url.hostname === '') throw new Error('must name a host: redis://host:6379');
  const [, db] = /^\/?(\d{0,5})$/.exec(url.pathname) ?? [];
  if (db === undefined) throw new Error('must have only the number of a database after its host: redis://host:6379/0');
  if (url.search !== '' || url.hash !== '') throw new Error('must have no options after a ? or #');
  return {
    kind: 'server',
    db: Number(db),
    isEncrypted: url.protocol === 'rediss:',
    ...credentials(url.username, url.password),
  };
}

function watchedMaster(path: string, query: string) {
  const [master = '', db = '0', ...rest] = path.split('/');
  if (master === '' || rest.length > 0 || !/^\d{1,5}$/.test(db))
    throw new Error(
      'must name the master that the sentinels watch, after their hosts: redis+sentinel://host:26379/mymaster',
    );
  const { sentinel_username: username, sentinel_password: password, ...others } = optionsIn(query);
  if (Object.keys(others).length > 0)
    throw new Error('must have no option but sentinel_username and sentinel_password');
  const sentinelCredentials = { ...(username && { username }), ...(password && { password }) };
  return { master: decoded(master), db: Number(db), sentinelCredentials };
}

/** Unlike a form, keeps + as it is: a password may contain one. */
function optionsIn(query: string): Record<string, string> {
  const options = query.split('&').filter((each) => each !== '');
  return Object.fromEntries(
    options.map((each) => {
      const [name = '', value = ''] = each.split(/=(.*)/s, 2);
      return [name, decoded(value)];
    }),
  );
}

function hostsOf(list: string, defaultPort: number): RedisHost[] {
  return list.split(',').map((each) => {
    const { v6, name, port } = HOST.exec(each)?.groups ?? {};
    const host = v6 ?? name;
    if (host === undefined || Number(port ?? 1) > 65_535 || Number(port ?? 1) === 0)
      throw new Error('must list its hosts as host:port, separated by commas');
    return { host, port: Number(port ?? defaultPort) };
  });
}

function credentials(username: string, password: string): Credentials {
  return {
    ...(username !== '' && { username: decoded(username) }),
    ...(password !== '' && { password: decoded(password) }),
  };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Error('must have its user name and password percent-encoded');
  }
}
