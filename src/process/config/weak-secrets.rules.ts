/** Keys that are or were in the files of this repository. */
const PUBLISHED = ['operator-key-of-the-tests-0123456789', 'no-operator-has-a-key-to-documents'];

/**
 * Texts that people write in place of a key. They have seven letters or more, because one random key in 500,000
 * contains `your-`.
 */
const PLACEHOLDER =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|it)|placeholder|example|your[-_ ](own|key|secret|api|operator)|randombytes/i;

/**
 * The least number of different bytes. 32 random bytes have more, and so have 32 random decimal digits, except in one
 * key of 700.
 */
const MIN_VARIETY = 8;

/** Why this operator's key is weak, as the rest of a sentence without the key; undefined if it is strong. */
export function weaknessOfOperatorKey(key: string): string | undefined {
  if (PUBLISHED.includes(key)) return 'is published in the repository of this service';
  if (PLACEHOLDER.test(key)) return 'is a placeholder';
  return weaknessOf(Buffer.from(key));
}

/** Checks the first key, which encrypts, and duplicates. A weak key after it may be needed to decrypt older secrets. */
export function weaknessOfEncryptionKeys(keys: readonly Buffer[]): string | undefined {
  const weakness = keys.slice(0, 1).map(weaknessOf)[0];
  if (weakness !== undefined) return `begins with a key that ${weakness}`;
  const different = new Set(keys.map((key) => key.toString('base64')));
  return different.size < keys.length ? 'has the same key twice' : undefined;
}

function weaknessOf(bytes: Buffer): string | undefined {
  if (new Set(bytes).size < MIN_VARIETY) return `has fewer than ${MIN_VARIETY} different characters`;
  if (isRepetition(bytes)) return 'repeats a shorter sequence';
  return isSeries(bytes) ? 'is a counting sequence' : undefined;
}

/** A beginning that is repeated: `abcdefghabcdefgh`. */
function isRepetition(bytes: Buffer): boolean {
  const periods = Array.from({ length: Math.floor(bytes.length / 2) }, (_none, index) => index + 1);
  return periods.some((period) => bytes.subarray(period).equals(bytes.subarray(0, -period)));
}

/** Bytes with a constant step: `0, 1, 2, …`. */
function isSeries(bytes: Buffer): boolean {
  const steps = [...bytes].slice(1).map((byte, index) => (byte - (bytes[index] ?? 0) + 256) % 256);
  return new Set(steps).size === 1;
}
