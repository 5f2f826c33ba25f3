import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 'v2';
const ALGORITHM = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const SEALED = /^(v[12])\.([0-9a-f]{8})\.([A-Za-z0-9_-]+)$/;

export type SecretBoxFault = 'no_keys' | 'key_length' | 'malformed' | 'unknown_key' | 'not_authentic';

/** Sealing or opening failed; neither message nor fields hold plaintext, ciphertext or a key. */
export class SecretBoxError extends Error {
  readonly fault: SecretBoxFault;

  constructor(fault: SecretBoxFault, message: string) {
    super(message);
    this.name = 'SecretBoxError';
    this.fault = fault;
  }
}

/** The row that a sealed text belongs to, and its owner: bound to the text as associated data (ADR 0013). */
type SecretContext = { owner: string; id: string };

export type SecretBox = ReturnType<typeof createSecretBox>;

/**
 * AES-256-GCM under a ring of 32-byte keys: the first encrypts, all decrypt (ADR 0013). A key id is the first 8 hex
 * digits of the key's SHA-256. Each IV is 96 random bits: NIST SP 800-38D allows 2^32 messages under one key.
 * @throws SecretBoxError `no_keys` or `key_length`
 */
export function createSecretBox(keys: readonly Buffer[]) {
  const [sealingKey] = keys;
  if (sealingKey === undefined) throw new SecretBoxError('no_keys', 'At least one encryption key is needed.');
  if (keys.some((key) => key.length !== KEY_BYTES)) {
    throw new SecretBoxError('key_length', `Every encryption key must have ${KEY_BYTES} bytes.`);
  }
  const ring = new Map(keys.map((key) => [keyId(key), key]));
  return {
    keyIds: [...ring.keys()],
    /** The beginning of everything that `seal` makes now; texts that begin differently should be sealed again. */
    prefix: prefixOf(sealingKey),
    /** Encrypts text with the first key, for one context: `v2.<key id>.<base64url of IV, ciphertext, tag>`. */
    seal: (plaintext: string, context: SecretContext): string => sealWith(sealingKey, plaintext, context),
    /** Decrypts a text of version 1 or 2. @throws SecretBoxError `malformed`, `unknown_key` or `not_authentic` */
    open: (sealed: string, context: SecretContext): string => {
      const { version, id, bytes } = parseSealed(sealed);
      const key = ring.get(id);
      if (key === undefined) {
        throw new SecretBoxError('unknown_key', `The key ${id}, which sealed this text, is not in the key ring.`);
      }
      return openWith(key, bytes, associatedData(version, id, context));
    },
  };
}

/** Derives the ring of another secret box by HKDF-SHA256 (RFC 5869); neither box can open what the other sealed. */
export function deriveKeys(keys: readonly Buffer[], purpose: string): Buffer[] {
  return keys.map((key) => Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES)));
}

/** The authenticated data. Version 1 authenticated only the row's id. */
function associatedData(version: string, key: string, { owner, id }: SecretContext): Buffer {
  return Buffer.from(version === 'v1' ? id : JSON.stringify([version, key, owner, id]));
}

function sealWith(key: Buffer, plaintext: string, context: SecretContext): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(associatedData(VERSION, keyId(key), context));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  const bytes = Buffer.concat([iv, ciphertext, cipher.getAuthTag()]);
  return prefixOf(key) + bytes.toString('base64url');
}

function prefixOf(key: Buffer): string {
  return `${VERSION}.${keyId(key)}.`;
}

function parseSealed(sealed: string): { version: string; id: string; bytes: Buffer } {
  const [, version, id, encoded] = SEALED.exec(sealed) ?? [];
  const bytes = Buffer.from(encoded ?? '', 'base64url');
  // Compare the encoding to reject a second spelling of the same bytes.
  const isWhole = bytes.length >= IV_BYTES + TAG_BYTES && bytes.toString('base64url') === encoded;
  if (version === undefined || id === undefined || !isWhole) {
    throw new SecretBoxError('malformed', 'The text was not sealed by this secret box.');
  }
  return { version, id, bytes };
}

function openWith(key: Buffer, bytes: Buffer, aad: Buffer): string {
  const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const plaintext = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    return Buffer.concat([plaintext, decipher.final()]).toString('utf8');
  } catch {
    throw new SecretBoxError('not_authentic', 'The sealed text was altered, or it belongs to another row or owner.');
  }
}

function keyId(key: Buffer): string {
  return hash('sha256', key).slice(0, 8);
}
