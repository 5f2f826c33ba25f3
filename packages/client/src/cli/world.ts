import { styleText } from 'node:util';
import wrapAnsi from 'wrap-ansi';

/** A terminal, a file or a pipe. */
export type Sink = {
  write(text: string): void;
  isTty: boolean;
  /** Undefined for a sink without a width. */
  columns: number | undefined;
};

export type Environment = {
  /** PARTNER_BASE_URL */
  baseUrl: string | undefined;
  /** PARTNER_API_KEY */
  apiKey: string | undefined;
  /** PARTNER_WEBHOOK_SECRET */
  webhookSecret: string | undefined;
  /** Whether NO_COLOR has a value. */
  isColorless: boolean;
  /** The folder for state that is kept between runs. */
  stateFolder: string;
};

/** Everything around a command, apart from files and the network. */
export type World = {
  out: Sink;
  /** For failures, progress and notes, which must not enter a pipe. */
  err: Sink;
  environment: Environment;
  /** Aborts on Ctrl-C. */
  interrupted: AbortSignal;
};

const DEFAULT_COLUMNS = 80;

export const widthOf = ({ columns }: Sink): number => columns ?? DEFAULT_COLUMNS;

export function writeLine(sink: Sink, line = ''): void {
  sink.write(`${line}\n`);
}

export const wrapped = (sink: Sink, text: string): string => (sink.isTty ? wrapAnsi(text, widthOf(sink)) : text);

export function writeNote(world: World, text: string, paint?: Paint): void {
  const { err } = world;
  const lines = wrapped(err, text);
  writeLine(err, paint === undefined ? lines : painted(world, err, paint, lines));
}

export function writeJson(sink: Sink, value: unknown, isLine = false): void {
  writeLine(sink, JSON.stringify(value, null, isLine ? 0 : 2));
}

type Paint = 'bold' | 'red' | 'yellow' | 'green';

export function painted({ environment }: World, sink: Sink, paint: Paint, text: string): string {
  return sink.isTty && !environment.isColorless ? styleText(paint, text, { validateStream: false }) : text;
}

/** Replaces line breaks and terminal control characters in foreign text. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, '\u{fffd}');
}
