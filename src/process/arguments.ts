import type { ParseArgsConfig } from 'node:util';
import { parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/**
 * The options that a program was given. `--help` prints its usage and ends the process with exit code 0; an unknown option, an argument
 * without an option or what `check` finds ends it with 1 and the usage. Call it before anything is opened.
 */
export function optionsOrExit<Known extends Options>(
  options: Known,
  usage: string,
  check: (values: Values<Known>) => string | undefined = () => undefined,
): Values<Known> {
  if (process.argv.slice(2).includes('--help')) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
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
