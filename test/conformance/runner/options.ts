import { parseArgs } from 'node:util';

export const USAGE = `Usage: npm run conformance -- --base-url <url> --admin-url <url> --operator-key <key>

Tries every rule of docs/contract.md on a sandbox deployment, with partners and venues of its own.

  --base-url <url>       the partner listener, such as https://sandbox.example.com
  --admin-url <url>      the admin listener
  --operator-key <key>   an operator key (default: OPERATOR_API_KEY)
  --receiver-bind <h:p>  where to listen for webhooks, such as 0.0.0.0:8080
  --receiver-url <url>   the address where the deployment reaches the receiver
  --help                 this text

A deployment on this machine needs no receiver options. Without a receiver
that the deployment can reach, the rules of deliveries are not tried.

Exit code: 0 if every rule tried is kept, 1 if one is broken, 2 if the run failed.
`;

export type RunnerOptions = {
  baseUrl: string;
  adminUrl: string;
  operatorKey: string;
  /** Absent if no receiver was given. */
  receiver?: { host: string; port: number; url?: string };
};

/** An error of the caller; the message names the option. */
export class UsageError extends Error {}

/**
 * The options of a command line, or 'help'.
 * @throws UsageError
 */
export function parseOptions(
  args: readonly string[],
  environment: Record<string, string | undefined>,
): RunnerOptions | 'help' {
  const given = valuesOf(args);
  if (given.help === true) return 'help';
  const operatorKey = given['operator-key'] ?? environment['OPERATOR_API_KEY'];
  if (operatorKey === undefined || operatorKey === '')
    throw new UsageError('--operator-key is missing, and OPERATOR_API_KEY is not set');
  const receiver = receiverOf(given['receiver-bind'], given['receiver-url']);
  return {
    baseUrl: addressOf('--base-url', given['base-url']),
    adminUrl: addressOf('--admin-url', given['admin-url']),
    operatorKey,
    ...(receiver === undefined ? {} : { receiver }),
  };
}

function valuesOf(args: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...args],
      options: {
        'base-url': text,
        'admin-url': text,
        'operator-key': text,
        'receiver-bind': text,
        'receiver-url': text,
        help: { type: 'boolean' },
      },
    }).values;
  } catch (err) {
    throw new UsageError((err as Error).message);
  }
}

function addressOf(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${option} is missing`);
  if (!URL.canParse(value) || !/^https?:$/.test(new URL(value).protocol))
    throw new UsageError(`${option} is not an http or https address: ${value}`);
  return value.replace(/\/+$/, '');
}

function receiverOf(bind: string | undefined, url: string | undefined): RunnerOptions['receiver'] {
  if (bind === undefined) {
    if (url === undefined) return undefined;
    throw new UsageError('--receiver-url needs --receiver-bind: the address of this machine to listen on');
  }
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(bind) ?? [];
  if (host === '' || Number(port) > 65_535) throw new UsageError(`--receiver-bind is not <host>:<port>: ${bind}`);
  const listening = { host, port: Number(port) };
  return url === undefined ? listening : { ...listening, url: addressOf('--receiver-url', url) };
}
