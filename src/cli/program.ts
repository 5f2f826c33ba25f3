import { Command, CommanderError } from 'commander';
import { NOUNS } from './commands.ts';
import { connect } from './connection.ts';
import { exampleOf, OPERATIONS } from './description.ts';
import { CommandError, EXIT } from './errors.ts';
import { addImport } from './import/command.ts';
import { optionOf } from './options.ts';
import { isNeeded, type Options } from './request.ts';
import { runOperation } from './run-operation.ts';
import { type Terminal, widthOf, writeLine } from './terminal.ts';
import { kebab } from './values.ts';

const INTRODUCTION =
  'The operator API on the command line: tables for people, --json for programs. Every command has a --help ' +
  'with an example; the guide is docs/guides/command-line.md.';

/** Verbs of release 1.0.0, which scripts may still use. */
const FORMER_VERBS: Readonly<Record<string, string>> = {
  redeliver: 'redrive',
  'redeliver-all': 'redrive-all',
  withdraw: 'lift',
};

const EXIT_CODES = `
Exit codes: 0 success; 1 rejected or no response; 2 wrong usage; 130 interrupted`;

/** Runs one command line and returns its exit code. Failures are printed as plain sentences. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await createProgram(terminal).parseAsync([...args], { from: 'user' });
    return EXIT.done;
  } catch (err) {
    // Help that the user asked for is a success. Help printed because no command was given is a failure.
    if (err instanceof CommanderError) return err.code === 'commander.helpDisplayed' ? EXIT.done : EXIT.usage;
    if (!(err instanceof CommandError)) throw err;
    writeLine(terminal.err, `error: ${err.message}`);
    return err.exitCode;
  }
}

function createProgram(terminal: Terminal): Command {
  const program = new Command('operator')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      getOutHelpWidth: () => widthOf(terminal),
      getErrHelpWidth: () => widthOf(terminal),
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .configureHelp({ showGlobalOptions: true, subcommandTerm: (command) => command.name() })
    .showHelpAfterError('(use --help to see what is available)')
    .description(INTRODUCTION)
    .option('--url <address>', 'address of the admin listener (default: OPERATOR_URL, else this machine)')
    .option('--key <key>', 'the operator key; other users of this machine can see it in the list of processes')
    .option('--key-file <file>', 'a file with the key (default: OPERATOR_API_KEY, else the key that npm start made)')
    .option('--json', 'print the response of the API, for programs')
    .helpCommand(false)
    .addHelpText('after', EXIT_CODES);
  for (const [noun, { about, verbs }] of Object.entries(NOUNS)) {
    const parent = program.command(noun).description(about);
    for (const [verb, operationId] of Object.entries(verbs)) addVerb(parent, verb, operationId, terminal);
  }
  addImport(program, terminal);
  return program;
}

function addVerb(parent: Command, verb: string, operationId: string, terminal: Terminal): void {
  const operation = OPERATIONS.get(operationId);
  if (operation === undefined) throw new Error(`There is no operation ${operationId}.`);
  const { summary, description, params, query, body } = operation;
  const noun = parent.name();
  const command = parent.command(verb).summary(summary).description(`${summary}. ${description}`.trim());
  const former = FORMER_VERBS[verb];
  if (former !== undefined) command.alias(former);
  for (const { name, description: about } of params) {
    command.argument(`<${name === 'id' ? `${noun}-id` : kebab(name)}>`, about);
  }
  for (const field of query) command.addOption(optionOf(field));
  for (const field of body) command.addOption(optionOf(field, isNeeded(field)));
  if (body.length > 0) {
    command.option(
      '--body <file>',
      'read the body from a JSON file, or - for standard input; options override its fields',
    );
  }
  if (query.some(({ name }) => name === 'cursor')) command.option('--all', 'fetch every page');
  command.addHelpText('after', `\nExample:\n${exampleOf(noun, verb, operation)}`);
  command.action(async () => {
    const options: Options = command.optsWithGlobals();
    const call = await connect(options, terminal.environment, terminal.interrupted);
    await runOperation(operation, command.args, options, { terminal, call });
  });
}
