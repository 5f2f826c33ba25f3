import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/** The options that a command was given; ends the process with exit code 1 and its usage where `check` finds a fault, or one is unknown. */
export function optionsOrExit<Known extends Options>(
  options: Known,
  usage: string,
  check: (values: ReturnType<typeof parseArgs<{ options: Known }>>['values']) => string | undefined,
): ReturnType<typeof parseArgs<{ options: Known }>>['values'] {
  try {
    const { values } = parseArgs({ options });
    const fault = check(values);
    if (fault !== undefined) throw new Error(fault);
    return values;
  } catch (err) {
    process.stderr.write(`${(err as Error).message}\nUsage: ${usage}\n`);
    process.exit(1);
  }
}
