/** A JSON object. */
export type Json = Record<string, unknown>;

/** A parsed value that is an object and no array. */
export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Text as it is, missing values as an empty text, anything else as JSON. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The objects of an array; none if it is no array. */
export function objectsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** `contact_email` as an option: `contact-email`; `partnerId`: `partner-id`. */
export function kebab(name: string): string {
  return name.replaceAll('_', '-').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

/** The code of a system or network failure, or of its cause, such as ENOENT. */
export function codeOf(failure: unknown): string | undefined {
  const { code, cause } = (failure ?? {}) as { code?: unknown; cause?: unknown };
  if (typeof code === 'string') return code;
  return cause === undefined ? undefined : codeOf(cause);
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
