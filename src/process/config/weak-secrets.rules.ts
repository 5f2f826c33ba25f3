/** Keys that this repository or its history contains. */
const PUBLISHED = ['operator-key-of-the-tests-0123456789', 'no-operator-has-a-key-to-documents'];

/**
 * Texts that people write in place of a key. Each has at least seven letters, because random keys may contain shorter
 * ones: `your-` is in one of 500,000.
 */
const PLACEHOLDER =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|it)|placeholder|example|your[-_ ](own|key|secret|api|operator)|randombytes/i;

/**
 * The minimum number of distinct bytes. Keys of 32 random bytes have more; of keys of 32 random decimal digits, one in
 * 700 has fewer.
 */
const MIN_VARIETY = 8;

/** Why this operator's key is weak, as the end of a sentence that begins with the key; undefined if it is strong. */
export function weaknessOfOperatorKey(key: string): string | undefined {
  if (PUBLISHED.includes(key)) return 'is published in the repository of this service';
  if (PLACEHOLDER.test(key)) return 'is a placeholder';
  return weaknessOf(Buffer.from(key));
}

/** Why the first key is weak, or that a key is repeated. Later keys may be weak: they only decrypt older secrets. */
export function weaknessOfEncryptionKeys(keys: readonly Buffer[]): string | undefined {
  const [first] = keys;
  const weakness = first && weaknessOf(first);
  if (weakness !== undefined) return `begins with a key that ${weakness}`;
  const distinct = new Set(keys.map((key) => key.toString('base64')));
  return distinct.size < keys.length ? 'has the same key twice' : undefined;
}

function weaknessOf(bytes: Buffer): string | undefined {
  if (new Set(bytes).size < MIN_VARIETY) return `has fewer than ${MIN_VARIETY} different characters`;
  if (isRepetition(bytes)) return 'repeats a shorter sequence';
  return isSeries(bytes) ? 'is a counting sequence' : undefined;
}

/** Whether a shorter sequence is repeated: `abcdefghabcdefgh`. */
function isRepetition(bytes: Buffer): boolean {
  const periods = Array.from({ length: Math.floor(bytes.length / 2) }, (_none, index) => index + 1);
  return periods.some((period) => bytes.subarray(period).equals(bytes.subarray(0, -period)));
}

/** Whether all steps between bytes are equal: `0, 1, 2, …`. */
function isSeries(bytes: Buffer): boolean {
  const steps = [...bytes].slice(1).map((byte, index) => (byte - (bytes[index] ?? 0) + 256) % 256);
  return new Set(steps).size === 1;
}
