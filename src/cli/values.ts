/** A value read from JSON, YAML or a response that is an object and no list. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Any value in words: text as it is, nothing as nothing, anything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The objects of a list; none where it is no list. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** `contact_email` as it is typed on a command line: `contact-email`; `partnerId`: `partner-id`. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The code of a failure of the system or of the network, such as ENOENT, or that of its cause; undefined where neither has one. */
export function codeOf(failure: unknown): string | undefined {
  const { code, cause } = (failure ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

/** What a JSON text says; undefined where it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
