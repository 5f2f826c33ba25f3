import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { OperatorEnvironment } from '../process/config/environment.ts';

export type Sink = { write(text: string): void; isTty: boolean; columns: number | undefined };

/** The streams, variables and interrupts that a command gets from its process. */
export type Terminal = {
  out: Sink;
  /** Failures, remarks and the progress bar, separate from piped output. */
  err: Sink;
  environment: OperatorEnvironment;
  readInput: () => Promise<string>;
  interrupted: AbortSignal;
};

const USUAL_COLUMNS = 80;

export function widthOf({ out, environment }: Terminal): number {
  return out.columns ?? environment.columns ?? USUAL_COLUMNS;
}

export function emphasise(terminal: Terminal, text: string): string {
  return terminal.out.isTty && !terminal.environment.noColor ? styleText('bold', text) : text;
}

export function writeLine(sink: Sink, line = ''): void {
  sink.write(`${line}\n`);
}

/** Writes a text in lines that fit, the first one after `prefix` and the others after `nextPrefix`. */
export function writeWrapped(terminal: Terminal, text: string, prefix = '', nextPrefix = prefix): void {
  const lines = wrapAnsi(text, widthOf(terminal) - Math.max(prefix.length, nextPrefix.length)).split('\n');
  for (const [index, line] of lines.entries()) writeLine(terminal.out, `${index === 0 ? prefix : nextPrefix}${line}`);
}
