import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';
import type { OperatorEnvironment } from '../config/operator-environment.ts';
import { onOneLine } from '../platform/unseen-text.rules.ts';

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

/**
 * Text from elsewhere on one line: what would move the cursor, colour the terminal or turn the direction of writing is
 * replaced, since customers and receivers of webhooks can have put it there.
 */
export function printable(text: string): string {
  return onOneLine(text);
}

/** Breaks a text at spaces into lines of at most `width`; `first` and `next` stand in front of the first and of the others. */
export function wrapped(text: string, width: number, first = '', next = first): string[] {
  const lines = wrapAnsi(text, width - Math.max(first.length, next.length)).split('\n');
  return lines.map((line, index) => `${index === 0 ? first : next}${line}`);
}
