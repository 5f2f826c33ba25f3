import type { Document, ErrorCode, Node } from 'yaml';
import { isMap, isScalar, isSeq, LineCounter, parseDocument, visit, YAMLError } from 'yaml';
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
    rejectUnsafe(source);
    return { venues: faults.length > 0 ? [] : readVenues(source), faults };
  } catch (err) {
    // Of a parser that has run out of stack, or met more aliases than it should follow.
    return { venues: [], faults: [faultOfFile(`this cannot be read as YAML: ${reasonOf(err as Error)}`)] };
  }
}

/** The first of each line, for one mistake makes the parser complain of much that follows. Tags that it does not know are warnings of it. */
function syntaxFaults({ errors, warnings }: Document, counter: LineCounter): Fault[] {
  const faults = [...errors, ...warnings].map((error) => {
    return faultOfFile(`this is not YAML: ${reasonOf(error)}`, counter.linePos(error.pos[0]).line);
  });
  const lines = faults.map(({ line }) => line);
  return faults.filter(({ line }, index) => lines.indexOf(line) === index).slice(0, MAX_SYNTAX_FAULTS);
}

/** What the parser means by its codes. */
const NOT_YAML: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: 'an alias (*name) can have no anchor and no tag',
  BAD_ALIAS: 'this alias (*name) has no anchor (&name) before it',
  BAD_COLLECTION_TYPE: 'this tag is not allowed here: write fields as "name: value", lists with "- "',
  BAD_DQ_ESCAPE: 'there is no such escape within double quotes. Write a backslash as two.',
  BAD_DIRECTIVE: 'a line that begins with % is not read here',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_PROP_ORDER: 'an anchor (&name) belongs directly before its value',
  BAD_SCALAR_START: 'text that begins with this character must be in quotes',
  BLOCK_AS_IMPLICIT_KEY:
    'a value follows its name with nothing else on that line: perhaps ":" stands twice, or quotes are missing',
  BLOCK_IN_FLOW: 'lines of a list or of fields cannot stand within brackets',
  DUPLICATE_KEY: 'this field is there twice',
  IMPOSSIBLE: 'it cannot be read',
  KEY_OVER_1024_CHARS: 'the name of a field is too long',
  MISSING_CHAR: 'something is missing before this: ":", ",", a quote, a bracket or a space',
  MULTILINE_IMPLICIT_KEY: 'the name of a field must be on one line',
  MULTIPLE_ANCHORS: 'a value can have one anchor (&name) only',
  MULTIPLE_DOCS: 'the file has a second document after "---". Give all venues in one list.',
  MULTIPLE_TAGS: 'tags (!name) are not read here: write the value itself',
  NON_STRING_KEY: 'the name of a field must be text',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is not allowed as indentation: use spaces',
  TAG_RESOLVE_FAILED: 'tags (!name) are not read here: write the value itself',
  UNEXPECTED_TOKEN: 'this is not expected here: perhaps quotes or a bracket are missing',
};

function reasonOf(error: Error): string {
  if (/call stack/.test(error.message)) return 'it is nested too deeply';
  if (/alias count/.test(error.message)) return 'aliases make it too large';
  return error instanceof YAMLError ? NOT_YAML[error.code] : NOT_YAML.IMPOSSIBLE;
}

/** The tags of what a value without one is too. */
const PLAIN_TAGS = new Set(
  ['str', 'int', 'float', 'bool', 'null', 'seq', 'map'].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Tags that make something else of a value; names that cannot be fields: lists, objects, and what every object has. */
function rejectUnsafe({ document, counter, faults }: Source): void {
  visit(document, {
    Node: (_key, { tag, range }) => {
      if (tag === undefined || PLAIN_TAGS.has(tag)) return;
      const { line } = counter.linePos(range?.[0] ?? 0);
      faults.push(faultOfFile(`this is not YAML: ${NOT_YAML.TAG_RESOLVE_FAILED}`, line));
    },
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
  if (isObject(schedule)) {
    const { weekly } = schedule;
    if (isObject(weekly) && Object.keys(weekly).length === 0) {
      const message = 'has hours for no day of the week, so it would be closed every day';
      source.faults.push({ ...faultOfFile(message, lineAt(source, [...path, 'weekly'])), path: 'weekly' });
    }
    return rowAt(source, schedule, path);
  }
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
