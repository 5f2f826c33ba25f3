/** What every step of the demo's story works with, and what is undone however it ends. */

import type { Api } from './api.ts';
import type { Receiver } from './receiver.ts';
import type { Transcript } from './transcript.ts';

export type StepContext = {
  /** The API as the partner of this run. */
  partner: Api;
  partnerId: string;
  transcript: Transcript;
  cleanup: Cleanup;
  receiver: Receiver;
};

/** What the demo has acquired, to be released. */
export type Cleanup = {
  /** Registers a step to undo; call what it returns when there is nothing left to undo. */
  add: (undo: () => Promise<unknown>) => () => void;
  /** Undoes every step, the last one first; one that fails does not keep the others. Safe to call twice. */
  run: () => Promise<void>;
};

export function createCleanup(): Cleanup {
  const undos: (() => Promise<unknown>)[] = [];
  const runAll = async (): Promise<void> => {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo().catch(() => undefined);
  };
  let running: Promise<void> | undefined;
  return {
    add: (undo) => {
      undos.push(undo);
      return () => {
        const index = undos.indexOf(undo);
        if (index >= 0) undos.splice(index, 1);
      };
    },
    run: () => (running ??= runAll()),
  };
}
