/** Returns a function that calls `make` once for each object; the result is freed with the object. */
export function memoizeByObject<T, Owner extends object = object>(make: (owner: Owner) => T): (owner: Owner) => T {
  const results = new WeakMap<Owner, T>();
  return (owner) => {
    const result = results.get(owner) ?? make(owner);
    results.set(owner, result);
    return result;
  };
}
