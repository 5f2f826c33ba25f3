/** Returns a function that calls `make` once for each object; the result is freed with the object. */
export function memoizeByObject<T, Owner extends object = object>(make: (owner: Owner) => T): (owner: Owner) => T {
  const made = new WeakMap<Owner, T>();
  return (owner) => {
    const one = made.get(owner) ?? make(owner);
    made.set(owner, one);
    return one;
  };
}
