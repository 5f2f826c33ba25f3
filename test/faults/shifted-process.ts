import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type SpawnedProcess, startProcess } from '../support/worker-process.ts';

const SHIFT_CLOCK = pathToFileURL(path.join(import.meta.dirname, 'shifted-clock.mjs')).href;

/** A process on a host whose clock can be set. */
export type ShiftedProcess = SpawnedProcess & {
  /** Sets how wrong the host's clock is; the next reading shows it. */
  jump(shiftMs: number): void;
};

/** Starts a program of the service, such as `workers/hold-expiry.ts`, on a host whose clock is off by `shiftMs`. */
export function startShifted(file: string, environment: Record<string, string>, shiftMs: number): ShiftedProcess {
  const folder = mkdtempSync(path.join(tmpdir(), 'shifted-clock-'));
  const shiftFile = path.join(folder, 'milliseconds');
  const descriptor = openSync(shiftFile, 'w');
  let isOpen = true;
  const jump = (nextMs: number) => {
    if (isOpen) writeSync(descriptor, new Float64Array([nextMs]), 0, Float64Array.BYTES_PER_ELEMENT, 0);
  };
  jump(shiftMs);
  const shift = { NODE_OPTIONS: `--import=${SHIFT_CLOCK}`, CLOCK_SHIFT_FILE: shiftFile };
  const started = startProcess(file, { ...environment, ...shift });
  void started.exited.finally(() => {
    isOpen = false;
    closeSync(descriptor);
    rmSync(folder, { recursive: true });
  });
  return { ...started, jump };
}
