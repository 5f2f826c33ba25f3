export type Cleanup = ReturnType<typeof createCleanup>;

/** Steps to undo later, the last one first; a failed step does not stop other steps. `run` is safe to call twice. */
export function createCleanup() {
  const undos: (() => Promise<unknown>)[] = [];
  const runAll = async (): Promise<void> => {
    for (let undo = undos.pop(); undo !== undefined; undo = undos.pop()) await undo().catch(() => undefined);
  };
  let running: Promise<void> | undefined;
  return {
    add: (undo: () => Promise<unknown>) => void undos.push(undo),
    run: () => (running ??= runAll()),
  };
}
