import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { OperatorEnvironment } from '../process/config/environment.ts';

export type Sink = { write(text: string): void; isTty: boolean; columns: number | undefined };

/** The environment of a command: arguments, variables and streams, but not files and the network. */
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

/** Wraps a text; `first` and `next` precede its first and its other lines. */
export function writeWrapped(terminal: Terminal, text: string, first = '', next = first): void {
  const lines = wrapAnsi(text, widthOf(terminal) - Math.max(first.length, next.length)).split('\n');
  for (const [index, line] of lines.entries()) writeLine(terminal.out, `${index === 0 ? first : next}${line}`);
}
