/** Runs `each` for every item, at most `width` at the same time. */
export async function inParallel<T>(
  items: Iterable<T>,
  width: number,
  each: (item: T) => Promise<void>,
): Promise<void> {
  const remaining = items[Symbol.iterator]();
  const lane = async () => {
    for (let next = remaining.next(); next.done !== true; next = remaining.next()) await each(next.value);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
