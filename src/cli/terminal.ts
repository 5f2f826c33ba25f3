import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { OperatorEnvironment } from '../process/config/environment.ts';

/** Where a command writes: a terminal, a file or a pipe. */
export type Sink = { write(text: string): void; isTty: boolean; columns: number | undefined };

/** All that a command has of the world around it, but for files and the network. */
export type Terminal = {
  /** What was asked for. */
  out: Sink;
  /** Failures, remarks and the progress bar, so that they are not in the way of what is piped on. */
  err: Sink;
  environment: OperatorEnvironment;
  readInput: () => Promise<string>;
  /** Aborts when the user asks it to stop. */
  interrupted: AbortSignal;
};

const USUAL_COLUMNS = 80;

/** How wide a line may be. */
export function widthOf({ out, environment }: Terminal): number {
  return out.columns ?? environment.columns ?? USUAL_COLUMNS;
}

/** Paints only what a person sees on a terminal and has not asked to see plain. */
export function emphasise(terminal: Terminal, text: string): string {
  return terminal.out.isTty && !terminal.environment.noColor ? styleText('bold', text) : text;
}

export function writeLine(sink: Sink, line = ''): void {
  sink.write(`${line}\n`);
}

/** Breaks a text at spaces into lines that fit; `first` and `next` stand in front of the first and of the others. */
export function writeWrapped(terminal: Terminal, text: string, first = '', next = first): void {
  const lines = wrapAnsi(text, widthOf(terminal) - Math.max(first.length, next.length)).split('\n');
  for (const [index, line] of lines.entries())
    writeLine(terminal.out, `${index === 0 ? first : next}${line}`);
}
