import type { Archive, ArchiveConfig } from './archive.ts';
import { createFileArchive } from './file-archive.ts';
import { createS3Archive } from './s3-archive.ts';

/** The archive at `file:///folder` or `s3://bucket/prefix`. */
export function openArchive(url: string, config: ArchiveConfig): Archive {
  return url.startsWith('s3:') ? createS3Archive(url, config) : createFileArchive(url);
}
