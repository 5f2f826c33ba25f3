import { faultOfAddress } from './addresses.ts';

/** A partner's description of its integration. */
export type Profile = {
  name: string;
  actions: { url: string } | { command: string[] };
  webhookUrl: string;
  /** During certification, the integration calls 127.0.0.1 at this port. */
  proxyPort: number;
};

/** An invalid profile. Each of `faults` names the field and the fix. */
export class ProfileError extends Error {
  override readonly name = 'ProfileError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The profile cannot be used:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** The service's limit for the name in a report. */
const NAME_LENGTH = 120;
const FIELDS = ['name', 'actions', 'webhook_url', 'proxy_port'];

/** @throws ProfileError that names every fault */
export function parseProfile(text: string): Profile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new ProfileError([`the file is not JSON (${reason}): give an object with ${FIELDS.join(', ')}`]);
  }
  if (!isObject(value)) throw new ProfileError([`the file must be a JSON object with ${FIELDS.join(', ')}`]);
  const { name, actions, webhook_url: webhookUrl, proxy_port: proxyPort } = value;
  const faults = [
    ...unknownIn(value, FIELDS, ''),
    ...(isName(name)
      ? []
      : [`name: give a text of 1 to ${NAME_LENGTH} printable characters, the name of your integration`]),
    ...faultsOfActions(actions),
    ...faultsOfAddressField('webhook_url', webhookUrl, 'where your endpoint takes deliveries'),
    ...(isPort(proxyPort) ? [] : ['proxy_port: give a free port of this machine, a whole number from 1 to 65535']),
  ];
  if (faults.length > 0) throw new ProfileError(faults);
  return { name, actions, webhookUrl, proxyPort } as Profile;
}

function faultsOfActions(actions: unknown): string[] {
  if (!isObject(actions)) return ['actions: give {"url": "http://…"} or {"command": ["program", "argument"]}'];
  const { url, command } = actions;
  const unknown = unknownIn(actions, ['url', 'command'], 'actions.');
  if ((url === undefined) === (command === undefined)) return [...unknown, 'actions: give either url or command'];
  if (url !== undefined) return [...unknown, ...faultsOfAddressField('actions.url', url, 'where your actions are')];
  return Array.isArray(command) && command.length > 0 && command.every(isText)
    ? unknown
    : [...unknown, 'actions.command: give a list of texts, the program and its arguments'];
}

const unknownIn = (value: object, known: readonly string[], path: string): string[] =>
  Object.keys(value)
    .filter((field) => !known.includes(field))
    .map((field) => `${path}${field}: no such field; leave it out (known are ${known.join(', ')})`);

function faultsOfAddressField(field: string, value: unknown, what: string): string[] {
  const fault = faultOfAddress(isText(value) ? value : '');
  return fault === undefined ? [] : [`${field}: ${fault}; give an address ${what}`];
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isName = (value: unknown): boolean =>
  isText(value) && value.length <= NAME_LENGTH && !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(value);
const isPort = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 65_535;
