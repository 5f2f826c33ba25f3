import { type Document, type ErrorCode, isScalar, LineCounter, type Node, parseDocument, visit, YAMLError } from 'yaml';
import { isObject } from '../values.ts';
import { type Fault, type FileContent, faultOfFile, unreadable } from './file-content.ts';

/** Each alias repeats a part of the file, so many aliases make a small file huge. */
const MAX_ALIASES = 1000;
const MAX_SYNTAX_FAULTS = 10;

/** Unknown tags cause warnings, which count as faults here; names of fields must be texts. */
const OPTIONS = { prettyErrors: false, merge: true, resolveKnownTags: false, stringKeys: true };

/** Reads YAML 1.2: `venues` with their `resources`, each with an optional `schedule` and `price_rules`. */
export function readYaml(text: string): FileContent {
  const lineCounter = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter, ...OPTIONS });
    const faults = faultsIn(document, lineCounter);
    if (faults.length > 0) return unreadable(...faults);
    const content: unknown = document.toJS({ maxAliasCount: MAX_ALIASES });
    if (!isObject(content)) return unreadable(faultOfFile('the file must begin with "venues:", a list of venues'));
    return { content, lineOf: (path) => lineAt(document, lineCounter, path.split('.')), faults: [] };
  } catch (err) {
    // The parser ran out of stack or found too many aliases.
    return unreadable(faultOfFile(`this cannot be read as YAML: ${reasonOf(err as Error)}`));
  }
}

/** The first fault of each line, because one mistake causes many. */
function faultsIn(document: Document, counter: LineCounter): Fault[] {
  const faults = [...document.errors, ...document.warnings].map((error) =>
    faultOfFile(`this is not YAML: ${reasonOf(error)}`, counter.linePos(error.pos[0]).line),
  );
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isScalar(key) || key.value !== '__proto__') return;
      // The schema would not see this field: it turns into the prototype of the object.
      const { line } = counter.linePos(key.range?.[0] ?? 0);
      faults.push({ ...faultOfFile('is not allowed here', line), path: '__proto__' });
    },
  });
  const lines = faults.map(({ line }) => line);
  return faults.filter(({ line }, index) => lines.indexOf(line) === index).slice(0, MAX_SYNTAX_FAULTS);
}

const NO_TAGS = 'tags (!name) are not read here: write the value itself';

const NOT_YAML: Partial<Record<ErrorCode, string>> = {
  BAD_ALIAS: 'this alias (*name) has no anchor (&name) before it',
  BAD_DQ_ESCAPE: 'there is no such escape within double quotes. Write a backslash as two.',
  BAD_INDENT: 'the indentation does not fit the lines above',
  BAD_SCALAR_START: 'text that begins with this character must be in quotes',
  DUPLICATE_KEY: 'this field occurs twice',
  MULTIPLE_DOCS: 'the file has a second document after "---". Give all venues in one list.',
  MULTIPLE_TAGS: NO_TAGS,
  NON_STRING_KEY: 'the name of a field must be text',
  RESOURCE_EXHAUSTION: 'it is nested too deeply',
  TAB_AS_INDENT: 'a tab is not allowed as indentation: use spaces',
  TAG_RESOLVE_FAILED: NO_TAGS,
};

function reasonOf(error: Error): string {
  if (/call stack/.test(error.message)) return 'it is nested too deeply';
  if (/alias count/.test(error.message)) return 'aliases make it too large';
  const reason = error instanceof YAMLError ? NOT_YAML[error.code] : undefined;
  return reason ?? 'this is not expected here. Look for a missing or extra quote, bracket, colon or space.';
}

/** The line of a path, or of its last existing part. */
function lineAt(document: Document, counter: LineCounter, path: readonly string[]): number {
  const node = document.getIn(path, true) as Node | null | undefined;
  if (!node?.range && path.length > 0) return lineAt(document, counter, path.slice(0, -1));
  return Math.max(1, counter.linePos(node?.range?.[0] ?? 0).line);
}
