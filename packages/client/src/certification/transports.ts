import type { Transport } from './actions.ts';
import { Unreached, UnusableAnswer } from './scenario.ts';

export const ACTION_DEADLINE_MS = 30_000;

/** Many times the largest result. */
const MAX_ANSWER_BYTES = 1_000_000;

const EXCERPT_LENGTH = 120;

/** Posts each action to `<url>/<action>`. Running calls end when `signal` aborts. */
export function httpTransport(url: string, signal: AbortSignal, deadlineMs = ACTION_DEADLINE_MS): Transport {
  const base = url.replace(/\/+$/, '');
  return async (action, input) => {
    const { status, text } = await withinDeadline(action, deadlineMs, signal, async (ending) => {
      const response = await fetch(`${base}/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
        redirect: 'manual',
        signal: ending,
      });
      return { status: response.status, text: await requireWithin(action, response.body) };
    });
    if (status === 404)
      throw new UnusableAnswer(`${action} is not offered: ${base}/${action} answered 404. Add the action.`);
    if (status !== 200) throw new UnusableAnswer(`${action} answered ${status} instead of 200: ${excerptOf(text)}`);
    return parsed(action, text);
  };
}

/** @throws UnusableAnswer if the answer has more than 1 MB */
export async function requireWithin(action: string, answer: AsyncIterable<Uint8Array> | null): Promise<string> {
  const text = await textWithin(answer, MAX_ANSWER_BYTES);
  if (text !== undefined) return text;
  throw new UnusableAnswer(`${action} answered more than 1 MB. Respond with its result and nothing else.`);
}

/** @throws UnusableAnswer if the answer is not JSON */
export function parsed(action: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UnusableAnswer(`${action} answered something that is not JSON: ${excerptOf(text)}`);
  }
}

export function excerptOf(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line === '') return '(nothing)';
  return line.length > EXCERPT_LENGTH ? `${line.slice(0, EXCERPT_LENGTH)}…` : line;
}

/** Runs `work` with a signal that aborts after `deadlineMs`, or when `outer` aborts. @throws UnusableAnswer */
export async function withinDeadline<Answer>(
  action: string,
  deadlineMs: number,
  outer: AbortSignal,
  work: (ending: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const ending = new AbortController();
  const abort = () => ending.abort(outer.reason);
  outer.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(abort, deadlineMs);
  try {
    return await work(ending.signal);
  } catch (error) {
    if (error instanceof UnusableAnswer || outer.aborted) throw error;
    if (ending.signal.aborted)
      throw new UnusableAnswer(`${action} did not answer within ${deadlineMs / 1000} s.`, { cause: error });
    throw new Unreached(`${action} got no answer: ${reasonOf(error)}.`, { cause: error });
  } finally {
    clearTimeout(timer);
    outer.removeEventListener('abort', abort);
    ending.abort();
  }
}

/** The code of a failure, such as ECONNREFUSED, or else its message. */
export function reasonOf(failure: unknown): string {
  const { code, cause, message } = (failure ?? {}) as { code?: unknown; cause?: unknown; message?: unknown };
  if (typeof code === 'string') return code;
  if (cause !== undefined) return reasonOf(cause);
  return typeof message === 'string' ? message : 'unknown reason';
}

/** The text of a stream; undefined if it has more than `maxBytes`. */
export async function textWithin(
  stream: AsyncIterable<Uint8Array> | null,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
