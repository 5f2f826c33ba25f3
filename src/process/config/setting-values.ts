import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import Joi from 'joi';
import { isRegion } from '../../domain/phone.ts';
import { timeZoneNamed } from '../../platform/calendar.ts';
import { parseUrl } from '../../platform/parse-url.ts';
import { redisAddress } from '../../platform/redis-address.rules.ts';

// Checks of single values. The message of a thrown Error follows the name of the setting.

const checkedText = (check: (value: string) => void) =>
  Joi.string().custom((value: string) => {
    check(value);
    return value;
  });

export const timeZone = Joi.string().custom((value: string) => {
  const name = timeZoneNamed(value);
  if (name === undefined) throw new Error('must be an IANA time zone such as Asia/Kolkata');
  return name;
});

export const region = checkedText((value) => {
  if (!isRegion(value)) throw new Error('must be a two-letter region code such as IN, in capitals');
});

export const host = checkedText((value) => {
  if (isIP(value) === 0 && !/^[\w.-]+$/.test(value))
    throw new Error('must be a name or an address without brackets and port, such as 0.0.0.0 or ::');
});

export const mongodbUri = checkedText((value) => {
  // RFC 3986 does not cover several hosts with ports, so this is not parsed as a URI.
  if (!/^mongodb(\+srv)?:\/\/[^/\s]/.test(value)) throw new Error('must be a mongodb:// or mongodb+srv:// address');
  // Without a name the driver would use the database `test`.
  if (!/^[^/]*\/\/[^/]+\/[^?\s]/.test(value))
    throw new Error('must name a database, such as mongodb://host:27017/partner_booking?replicaSet=rs0');
});

export const redisUrl = checkedText(redisAddress);

/** An http or https address, else the fault is `rule`. With one of `forbiddenParts`, the fault is `partsRule`. */
export const httpUrl = (
  rule: string,
  forbiddenParts: readonly ('username' | 'password' | 'search')[] = [],
  partsRule = '',
) =>
  Joi.string<string | undefined>().custom((value: string) => {
    const url = parseUrl(value);
    if (url === undefined || !/^https?:$/.test(url.protocol)) throw new Error(rule);
    if (forbiddenParts.some((part) => url[part] !== '')) throw new Error(partsRule);
    return value;
  });

/** An s3 address has only characters that need no escaping: object names are appended to it as they are. */
const ARCHIVE_URL = /^(file:\/\/\/\S+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?)$/;

/** @throws Error if it is not the address of an archive, or names a folder that does not exist */
export function archiveUrl(value: string): string {
  const folder = value.startsWith('s3:') ? '' : folderOf(value);
  if (!ARCHIVE_URL.test(value) || folder === undefined || folder.includes('\0'))
    throw new Error('must be file:///folder, or s3://bucket/prefix with letters, digits, ".", "_" and "-"');
  if (folder !== '' && statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error('must be an existing folder: create it, or mount it, before the start');
  return value;
}

function folderOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/** A number of days: 0, which means for ever, or at least `min`. docs/configuration.md shows the note. */
export const days = (min: number) =>
  Joi.number()
    .integer()
    .max(36_500)
    .note(`0, or ${min} to 36500`)
    .custom((value: number) => {
      if (value === 0 || value >= min) return value;
      throw new Error(`must be 0, which means for ever, or at least ${min}`);
    });

const NAMED_NETWORKS = ['loopback', 'linklocal', 'uniquelocal'];

export const proxy = checkedText((value) => {
  if (NAMED_NETWORKS.includes(value)) return;
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  const isNetwork = bits !== undefined && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128);
  if (version === 0 || rest.length > 0 || (bits !== undefined && !isNetwork)) {
    throw new Error(
      `must list addresses, networks such as 10.0.0.0/8, or ${NAMED_NETWORKS.join(', ')}, and must not cover every address`,
    );
  }
});

export const encryptionKey = Joi.string<Buffer>().custom((value: string) => {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32) throw new Error('must be base64 of exactly 32 bytes');
  return key;
});

export const commaList = <Item>(item: Joi.AnySchema<Item>) =>
  Joi.any<Item[]>().custom((value: string): unknown => {
    const parts = value.split(',').map((part) => part.trim());
    const result = Joi.array().items(item).min(1).validate(parts);
    const [fault] = result.error?.details ?? [];
    if (fault !== undefined) throw new Error(thrownMessageOf(fault) ?? fault.message);
    return result.value;
  });

/** The message that a check threw; joi would wrap it in words of its own. */
export function thrownMessageOf(detail: Joi.ValidationErrorItem): string | undefined {
  return (detail.context as { error?: Error } | undefined)?.error?.message;
}
