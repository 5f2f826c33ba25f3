import { loadConfig, type ProcessName } from '../../src/process/config/config.ts';

/** A variable of Node, not a setting of this service. */
const NOT_OURS = 'NODE_TLS_REJECT_UNAUTHORIZED';

/** The environment variables that a process reads, sorted. */
export function variablesOf(name: ProcessName): string[] {
  const names = new Set<string>();
  const environment = new Proxy<Record<string, undefined>>(
    {},
    { get: (_, variable) => void names.add(String(variable)) },
  );
  try {
    loadConfig(environment, name);
  } catch {
    // It throws because nothing is set.
  }
  names.delete(NOT_OURS);
  return [...names].toSorted();
}
