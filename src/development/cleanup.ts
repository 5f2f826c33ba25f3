export type Cleanup = ReturnType<typeof createCleanup>;

/** Collects steps. `run` runs the last one first, continues after a failed one, and is safe to call twice. */
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
