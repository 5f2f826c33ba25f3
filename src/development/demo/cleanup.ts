/** What the demo has acquired, and gives back however it ends. */

export interface Cleanup {
  /** Registers a step back; call what it returns when there is nothing left to undo. */
  add(undo: () => Promise<unknown>): () => void;
  /** Takes every step back, the last one first; one that fails does not keep the others. Safe to call twice. */
  run(): Promise<void>;
}

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
