export type Cleanup = {
  add: (undo: () => Promise<unknown>) => void;
  /** Undoes every step, the last one first; a failed step does not stop the others. Safe to call twice. */
  run: () => Promise<void>;
};

export function createCleanup(): Cleanup {
  const undos: (() => Promise<unknown>)[] = [];
  const runAll = async (): Promise<void> => {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo().catch(() => undefined);
  };
  let running: Promise<void> | undefined;
  return {
    add: (undo) => void undos.push(undo),
    run: () => (running ??= runAll()),
  };
}
