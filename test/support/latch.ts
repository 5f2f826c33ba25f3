export type Latch = { opened: Promise<void>; open: () => void };

/** A promise that `open` resolves. */
export function latch(): Latch {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}
