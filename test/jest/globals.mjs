/** What `@jest/globals` is for the suite that is being loaded. */
export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test } =
  globalThis[Symbol.for('@jest/globals')];
