import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Names of objects go into addresses as they are. */
const ARCHIVE_URL = /^(file:\/\/\/\S+|s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?)$/;

/** @throws Error with what is wrong with the address of an archive, a folder that does not exist included */
export function archiveUrl(value: string): string {
  const path = value.startsWith('s3:') ? '' : folderOf(value);
  if (!ARCHIVE_URL.test(value) || path === undefined || path.includes('\0'))
    throw new Error('must be file:///folder, or s3://bucket/prefix with letters, digits, ".", "_" and "-"');
  if (path !== '' && statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
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
