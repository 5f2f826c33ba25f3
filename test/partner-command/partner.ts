import { runPartnerCommand } from '../../packages/client/src/cli/program.ts';
import type { Environment, World } from '../../packages/client/src/cli/world.ts';
import { temporaryFolder } from '../embedded/temporary-folder.ts';

/** What a command line printed, and its exit code. */
export type Ended = { code: number; out: string; err: string };

type Options = { environment?: Partial<Environment>; isTty?: boolean; columns?: number };

/** Starts the command line with a key and a service's URL, without a terminal by default. */
export async function startPartner(
  { url, apiKey }: { url: string; apiKey: string | undefined },
  args: readonly string[],
  { environment = {}, isTty = false, columns }: Options = {},
) {
  const printed = { out: '', err: '' };
  const sink = (name: 'out' | 'err') => ({
    write: (text: string) => {
      printed[name] += text;
    },
    isTty,
    columns,
  });
  const stop = new AbortController();
  const world: World = {
    out: sink('out'),
    err: sink('err'),
    interrupted: stop.signal,
    environment: {
      baseUrl: url,
      apiKey,
      webhookSecret: undefined,
      isColorless: false,
      stateFolder: await temporaryFolder(),
      ...environment,
    },
  };
  const ended: Promise<Ended> = runPartnerCommand(args, world).then((code) => ({ code, ...printed }));
  return {
    /** The output so far. */
    printed,
    /** Interrupts like Ctrl-C. */
    interrupt: () => stop.abort(),
    ended,
  };
}

/** A command line that runs in this process. */
export type Running = Awaited<ReturnType<typeof startPartner>>;

/** Runs the command line to its end. */
export async function partner(
  service: { url: string; apiKey: string | undefined },
  args: readonly string[],
  options: Options = {},
): Promise<Ended> {
  return (await startPartner(service, args, options)).ended;
}
