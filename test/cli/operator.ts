import { runCommandLine } from '../../src/cli/program.ts';
import { type OperatorEnvironment, operatorEnvironment } from '../../src/process/config/environment.ts';
import { OPERATOR_KEY } from '../support/service-environment.ts';

/** What a command line printed, and its exit code. */
export type Ended = { code: number; out: string; err: string };

/** Runs the command line in this process with the tests' operator key, without a terminal. */
export async function operator(
  url: string,
  args: readonly string[],
  {
    input = '',
    environment = {},
    interrupted = new AbortController().signal,
  }: { input?: string; environment?: Partial<OperatorEnvironment>; interrupted?: AbortSignal } = {},
): Promise<Ended> {
  const printed = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => {
      printed[name] += text;
    },
    isTty: false,
    columns: undefined,
  });
  const code = await runCommandLine(args, {
    out: sink('out'),
    err: sink('err'),
    interrupted,
    environment: { ...operatorEnvironment({ OPERATOR_URL: url, OPERATOR_API_KEY: OPERATOR_KEY }), ...environment },
    readInput: () => Promise.resolve(input),
  });
  return { code, ...printed };
}

/** Runs a command that must succeed; returns the JSON that it printed. */
export async function operatorJson(url: string, args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await operator(url, [...args, '--json']);
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${err}`);
  return out === '' ? {} : (JSON.parse(out) as Record<string, unknown>);
}
