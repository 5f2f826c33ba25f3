import { Command, CommanderError } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { addCertify } from './certify.command.ts';
import { CommandError, EXIT, EXIT_CODES_HELP } from './command-error.ts';
import { addConfirm } from './confirm.command.ts';
import { addHold } from './hold.command.ts';
import { addListen } from './listen.command.ts';
import { addReplay } from './replay.command.ts';
import { addStatus } from './status.command.ts';
import { addTrigger } from './trigger.command.ts';
import type { World } from './world.ts';
import { painted, widthOf, writeNote } from './world.ts';

const INTRODUCTION =
  'The Partner Booking Service on the command line: see events arrive at your own machine, make them happen, ' +
  'and try holds and bookings. The key is read from PARTNER_API_KEY or --key-file, never from the command line, ' +
  'where other users of the machine could see it.';

const COMMANDS: readonly ((program: Command, world: World) => void)[] = [
  addStatus,
  addListen,
  addTrigger,
  addReplay,
  addHold,
  addConfirm,
  addCertify,
];

/**
 * Runs one command line; resolves to its exit code. Prints failures to `world.err`. A CommandError without a message
 * only sets the exit code.
 */
export async function runPartnerCommand(args: readonly string[], world: World): Promise<number> {
  try {
    await createProgram(world).parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (failure) {
    if (failure instanceof CommanderError) return failure.exitCode === 0 ? EXIT.done : EXIT.usage;
    if (!(failure instanceof CommandError)) throw failure;
    const prefix = failure.exitCode === EXIT.interrupted ? '' : `${painted(world, world.err, 'red', 'error:')} `;
    if (failure.message !== '') writeNote(world, `${prefix}${failure.message}`);
    return failure.exitCode;
  }
}

function createProgram(world: World): Command {
  const program = new Command('partner')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.out.write(text),
      writeErr: (text) => world.err.write(text),
      getOutHelpWidth: () => widthOf(world.out),
      getErrHelpWidth: () => widthOf(world.err),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(--help lists the commands and options)')
    .description(INTRODUCTION)
    .version(manifest.version, '--version', 'print the version, which the client and this command share')
    .option('--base-url <url>', 'where the service is (default: PARTNER_BASE_URL, else http://127.0.0.1:3000)')
    .option('--key-file <file>', 'a file that contains the API key (without it, PARTNER_API_KEY is the key)')
    .option('--json', 'print JSON, for programs')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES_HELP);
  for (const add of COMMANDS) add(program, world);
  return program;
}
