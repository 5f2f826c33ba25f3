import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SpawnedProcess } from '../support/worker-process.ts';
import { startProcess } from '../support/worker-process.ts';

const SHIFT_CLOCK = pathToFileURL(path.join(import.meta.dirname, 'shifted-clock.mjs')).href;

/** Starts a program of the service, such as `workers/hold-expiry.ts`, on a host whose clock is off by `shiftMs`. */
export function startShifted(
  file: string,
  environment: Record<string, string>,
  shiftMs: number,
): SpawnedProcess {
  const shift = { NODE_OPTIONS: `--import=${SHIFT_CLOCK}`, CLOCK_SHIFT_MS: String(shiftMs) };
  return startProcess(file, { ...environment, ...shift });
}
