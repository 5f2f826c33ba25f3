import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';

/** Where a command writes: a terminal, a file or a pipe. */
export type Sink = {
  write(text: string): void;
  isTty: boolean;
  /** Undefined where it has no width. */
  columns: number | undefined;
};

/** The variables of the environment that the command reads. */
export type Environment = {
  /** PARTNER_BASE_URL */
  baseUrl: string | undefined;
  /** PARTNER_API_KEY */
  apiKey: string | undefined;
  /** PARTNER_WEBHOOK_SECRET */
  webhookSecret: string | undefined;
  /** NO_COLOR has a value. */
  isColorless: boolean;
  /** The folder for what is kept from one run to the next. */
  stateFolder: string;
};

/** All that a command has of the world around it, but for files and the network. */
export type World = {
  /** What was asked for. */
  out: Sink;
  /** Failures, progress and notes, so that they are not in the way of what is piped on. */
  err: Sink;
  environment: Environment;
  /** Aborts when the user asks it to stop. */
  interrupted: AbortSignal;
};

const USUAL_COLUMNS = 80;

export const widthOf = ({ columns }: Sink): number => columns ?? USUAL_COLUMNS;

export function writeLine(sink: Sink, line = ''): void {
  sink.write(`${line}\n`);
}

/** Broken at spaces where that is a terminal, and else on one line. */
export const wrapped = (sink: Sink, text: string): string =>
  sink.isTty ? wrapAnsi(text, widthOf(sink)) : text;

/** A sentence beside what was asked for, on stderr; broken at spaces where that is a terminal, and else on one line. */
export function writeNote(world: World, text: string, paint?: Paint): void {
  const { err } = world;
  const lines = wrapped(err, text);
  writeLine(err, paint === undefined ? lines : painted(world, err, paint, lines));
}

/** One JSON document, indented, or on a line of its own. */
export function writeJson(sink: Sink, value: unknown, isLine = false): void {
  writeLine(sink, JSON.stringify(value, null, isLine ? 0 : 2));
}

type Paint = 'bold' | 'red' | 'yellow' | 'green';

/** Paints only what a person sees on a terminal and has not asked to see plain. */
export function painted({ environment }: World, sink: Sink, paint: Paint, text: string): string {
  return sink.isTty && !environment.isColorless ? styleText(paint, text, { validateStream: false }) : text;
}

/** Text from elsewhere on one line: what would move the cursor, colour the terminal or turn the writing around is replaced. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '\u{fffd}');
}
