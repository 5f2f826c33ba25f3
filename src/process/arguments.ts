import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;
type Values<Known extends Options> = ReturnType<typeof parseArgs<{ options: Known }>>['values'];

/**
 * The options of a program. `--help` prints the usage and exits with 0; a fault exits with 1. Call this first in a
 * program.
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
