import type { Document, Node } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { isObject, textOf } from '../values.ts';
import type { Fault, FileContent, FileResource, FileRow, FileVenue } from './file-content.ts';
import { faultOfFile } from './file-content.ts';

type Path = readonly (string | number)[];
type Source = { document: Document; counter: LineCounter; faults: Fault[] };

/** Aliases repeat what is written once; more of them than this only make a small file huge. */
const MAX_ALIASES = 1000;
const MAX_SYNTAX_FAULTS = 10;

/** Reads YAML 1.2: `venues`, each with its `resources`, each with a `schedule` and `price_rules` if it has any. */
export function readYaml(text: string): FileContent {
  const counter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: counter, prettyErrors: false, merge: true });
    const faults = syntaxFaults(document, counter);
    if (faults.length > 0) return { venues: [], faults };
    const source = { document, counter, faults };
    rejectUnsafeNames(source);
    return { venues: faults.length > 0 ? [] : readVenues(source), faults };
  } catch (err) {
    // Of a parser that has run out of stack, or met more aliases than it should follow.
    return { venues: [], faults: [faultOfFile(`this cannot be read as YAML: ${reasonOf(err as Error)}`)] };
  }
}

/** The first of each line, for one mistake makes the parser complain of much that follows. */
function syntaxFaults({ errors }: Document, counter: LineCounter): Fault[] {
  const faults = errors.map((error) => {
    return faultOfFile(`this is not YAML: ${reasonOf(error)}`, counter.linePos(error.pos[0]).line);
  });
  const lines = faults.map(({ line }) => line);
  return faults.filter(({ line }, index) => lines.indexOf(line) === index).slice(0, MAX_SYNTAX_FAULTS);
}

function reasonOf({ message }: Error): string {
  if (/call stack/.test(message)) return 'it is nested too deeply';
  if (/alias count/.test(message)) return 'aliases make it too large';
  return message.split('\n')[0] ?? '';
}

/** Names that cannot be fields: lists, objects, and what every object has. */
function rejectUnsafeNames({ document, counter, faults }: Source): void {
  visit(document, {
    Pair: (_key, { key }) => {
      if (isMap(key) || isSeq(key)) {
        const { line } = counter.linePos(offsetOf(key) ?? 0);
        faults.push(faultOfFile('the name of a field must be text', line));
      }
      if (!isScalar(key) || !['__proto__', 'constructor', 'prototype'].includes(String(key.value))) return;
      const line = counter.linePos(key.range?.[0] ?? 0).line;
      faults.push({ ...faultOfFile('is not allowed here', line), path: String(key.value) });
    },
  });
}

function readVenues(source: Source): FileVenue[] {
  const content: unknown = source.document.toJS({ maxAliasCount: MAX_ALIASES });
  if (!isObject(content)) {
    source.faults.push(faultOfFile('the file must begin with "venues:", a list of venues'));
    return [];
  }
  for (const name of Object.keys(content).filter((key) => key !== 'venues')) {
    const fault = faultOfFile('is not allowed here; the only field is venues', lineAt(source, [name]));
    source.faults.push({ ...fault, path: name });
  }
  return rowsIn(source, content, [], 'venues').map(({ fields, path }) => {
    const { resources: _, ...own } = fields;
    return { ...rowAt(source, own, path), resources: readResources(source, fields, path) };
  });
}

function readResources(source: Source, venue: Record<string, unknown>, venuePath: Path): FileResource[] {
  if (venue['resources'] === undefined) return [];
  return rowsIn(source, venue, venuePath, 'resources').map(({ fields, path }) => {
    const { schedule, price_rules: rules, ...own } = fields;
    const priceRules = rules === undefined ? [] : rowsIn(source, fields, path, 'price_rules');
    return {
      ...rowAt(source, own, path),
      ...(schedule === undefined ? {} : { schedule: readSchedule(source, schedule, [...path, 'schedule']) }),
      priceRules: priceRules.map((rule) => rowAt(source, rule.fields, rule.path)),
    };
  });
}

function readSchedule(source: Source, schedule: unknown, path: Path): FileRow {
  if (isObject(schedule)) return rowAt(source, schedule, path);
  const fault = faultOfFile('must have the field weekly, and may have exceptions', lineAt(source, path));
  source.faults.push({ ...fault, path: 'schedule' });
  return rowAt(source, { weekly: {} }, path);
}

type FoundRow = { fields: Record<string, unknown>; path: Path };

/** The objects of a list; what is none is a fault. */
function rowsIn(source: Source, parent: Record<string, unknown>, parentPath: Path, name: string): FoundRow[] {
  const list = parent[name];
  const path = [...parentPath, name];
  if (!Array.isArray(list)) {
    source.faults.push({ ...faultOfFile('must be a list', lineAt(source, path)), path: name });
    return [];
  }
  return list.flatMap((item: unknown, index) => {
    if (isObject(item)) return [{ fields: item, path: [...path, index] }];
    const fault = faultOfFile('must have fields, each as name: value', lineAt(source, [...path, index]));
    source.faults.push({ ...fault, path: `${name}.${index}` });
    return [];
  });
}

function rowAt(source: Source, fields: Record<string, unknown>, path: Path): FileRow {
  return {
    ...{ line: lineAt(source, path), fields },
    lineOf: (field) => lineAt(source, [...path, ...field.split('.')]),
  };
}

/** The line of what a path leads to, or of the last thing on the way to it that there is. */
function lineAt({ document, counter }: Source, path: Path): number {
  let node: unknown = document.contents;
  let offset = offsetOf(node) ?? 0;
  for (const segment of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && textOf(key.value) === String(segment));
      if (pair === undefined) break;
      offset = offsetOf(pair.key) ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(segment)];
      offset = offsetOf(node) ?? offset;
    } else break;
  }
  return Math.max(1, counter.linePos(offset).line);
}

function offsetOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
