/** True for a system error with this code, such as `ENOENT`, also one of another realm, as under jest. */
export function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code;
}
