/** The required shape of a JSON value. `[shape]` is a list whose items have that shape. */
export type Shape =
  | 'text'
  | 'number'
  | 'boolean'
  | 'boolean, or left out'
  | 'local time'
  | 'instant'
  | readonly [Shape]
  | { readonly [field: string]: Shape };

type OptionalIn<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends 'boolean, or left out' ? Name : never;
}[keyof Fields];

/** The type of a value that has the shape `S`. */
export type Shaped<S> = S extends 'text' | 'local time' | 'instant'
  ? string
  : S extends 'number'
    ? number
    : S extends 'boolean' | 'boolean, or left out'
      ? boolean
      : S extends readonly [infer Item]
        ? Shaped<Item>[]
        : { -readonly [Name in Exclude<keyof S, OptionalIn<S>>]: Shaped<S[Name]> } & {
            -readonly [Name in OptionalIn<S>]?: Shaped<S[Name]>;
          };

const LOCAL_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}[+-]\d{2}:\d{2}$/;
const DESCRIPTIONS: Record<string, string> = {
  'local time': 'a text YYYY-MM-DDTHH:mm±HH:MM',
  instant: 'a text in ISO 8601',
};

/** The faults of a value; empty if it has the shape. Fields that the shape does not name are ignored. */
export function faultsOfShape(value: unknown, shape: Shape, path = ''): string[] {
  if (typeof shape === 'string') return hasShape(value, shape) ? [] : [`${path || 'it'} must be ${describe(shape)}`];
  if (Array.isArray(shape)) {
    const [item] = shape as readonly [Shape];
    if (!Array.isArray(value)) return [`${path} must be a list`];
    return value.flatMap((each, index) => faultsOfShape(each, item, `${path}[${index}]`));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${path || 'it'} must be an object`];
  return Object.entries(shape).flatMap(([name, field]) =>
    faultsOfShape((value as Record<string, unknown>)[name], field, path === '' ? name : `${path}.${name}`),
  );
}

const describe = (shape: string): string => DESCRIPTIONS[shape] ?? `a ${shape}`;

function hasShape(value: unknown, shape: Extract<Shape, string>): boolean {
  if (shape === 'boolean') return typeof value === 'boolean';
  if (shape === 'boolean, or left out') return value === undefined || typeof value === 'boolean';
  if (shape === 'number') return typeof value === 'number' && Number.isFinite(value);
  if (typeof value !== 'string' || value === '') return false;
  if (shape === 'local time') return LOCAL_TIME.test(value);
  return shape === 'text' || !Number.isNaN(Date.parse(value));
}
