import path from 'node:path';
import { usageError } from './command-error.ts';
import type { ListenState } from './state-file.ts';
import type { World } from './world.ts';

/** Who a state belongs to. */
export type Owner = { baseUrl: string; partnerId: string };

/** The file of `--state`, else one of this partner at this service in the user's folder for states. */
export function stateFileOf(
  { environment }: World,
  { baseUrl, partnerId }: Owner,
  given: string | undefined,
): string {
  if (given !== undefined) return path.resolve(given);
  const host = new URL(baseUrl).host.replaceAll(/[^a-zA-Z0-9.-]/g, '_');
  return path.join(environment.stateFolder, `listen-${host}-${partnerId}.json`);
}

/** @throws CommandError where the state is of another partner or of another service: its cursor says nothing there */
export function requireOwner(file: string, state: ListenState, { baseUrl, partnerId }: Owner): void {
  if (state.base_url === baseUrl && state.partner_id === partnerId) return;
  throw usageError(
    `--state: ${file} is of partner ${state.partner_id} at ${state.base_url}, and you are ${partnerId} at ${baseUrl}. Name another file.`,
  );
}
