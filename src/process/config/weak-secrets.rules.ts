/** Keys that stand, or stood, in the files of this repository: whoever reads it has them. */
const PUBLISHED = ['operator-key-of-the-tests-0123456789', 'no-operator-has-a-key-to-documents'];

/**
 * What people write where a key belongs; the last is the command of `.env.example`, pasted but not run. Seven letters or more
 * each: one random key in 500,000 has a `your-` in it.
 */
const PLACEHOLDER =
  /change[-_ ]?(me|this|it)|replace[-_ ]?(me|this|it)|placeholder|example|your[-_ ](own|key|secret|api|operator)|randombytes/i;

/** Fewer different bytes than any 32 that were drawn at random have, decimal digits included but for one key in 700. */
const MIN_VARIETY = 8;

/** Why this operator's key can be guessed, as the rest of a sentence; undefined where nothing says so. Never repeats it. */
export function weaknessOfOperatorKey(key: string): string | undefined {
  if (PUBLISHED.includes(key)) return 'is published in the repository of this service';
  if (PLACEHOLDER.test(key)) return 'is a placeholder';
  return weaknessOf(Buffer.from(key));
}

/**
 * The same of encryption keys: of the first, which encrypts, and of a list that has one twice. A weak one behind it is the way
 * out of having used it: what it sealed must stay readable.
 */
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

/** `abcdefghabcdefgh`: the beginning, again and again, cut anywhere. */
function isRepetition(bytes: Buffer): boolean {
  const periods = Array.from({ length: Math.floor(bytes.length / 2) }, (_none, index) => index + 1);
  return periods.some((period) => bytes.subarray(period).equals(bytes.subarray(0, -period)));
}

/** `0, 1, 2, …`: every byte is as far from the one before. */
function isSeries(bytes: Buffer): boolean {
  const steps = [...bytes].slice(1).map((byte, index) => (byte - (bytes[index] ?? 0) + 256) % 256);
  return new Set(steps).size === 1;
}
