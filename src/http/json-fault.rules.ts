/** Every character that a string of JSON may have, and escapes, from its opening quote on. */
const STRING = /"(?:[\u0020-\u0021\u0023-\u005b\u005d-\uffff]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;
const SCALAR = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const SPACE = /[ \t\n\r]*/y;

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'colon' | 'comma or end';

/**
 * The index of the first character with which a text can be no JSON any more; its length where it ends before it is complete, undefined
 * where it is JSON. Found without the messages of `JSON.parse`, whose words and positions differ between versions of Node.
 */
export function jsonFaultAt(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const length = pattern.exec(text)?.[0].length ?? 0;
    at += length;
    return length > 0;
  };
  for (;;) {
    take(SPACE);
    const next = text[at];
    const isValue: boolean = expected === 'value' || expected === 'value or end';
    const isName: boolean = expected === 'name' || expected === 'name or end';
    const within = open.at(-1);
    if (expected === 'comma or end' && within === undefined) return next === undefined ? undefined : at;
    if (next === '"' && (isValue || isName)) {
      take(STRING);
      if (text[at] !== '"') return at;
      at += 1;
      expected = isName ? 'colon' : 'comma or end';
    } else if ((next === '{' || next === '[') && isValue) {
      at += 1;
      open.push(next);
      expected = next === '{' ? 'name or end' : 'value or end';
    } else if (next === (within === '{' ? '}' : ']') && expected.endsWith('or end')) {
      at += 1;
      open.pop();
      expected = 'comma or end';
    } else if (next === ',' && expected === 'comma or end') {
      at += 1;
      expected = within === '{' ? 'name' : 'value';
    } else if (next === ':' && expected === 'colon') {
      at += 1;
      expected = 'value';
    } else if (isValue && take(SCALAR)) expected = 'comma or end';
    else return at;
  }
}

/** Where a character of a text stands for people who see it in an editor: line and column count from 1, a column is a code point. */
export function lineAndColumn(text: string, index: number): { line: number; column: number } {
  const lines = text.slice(0, index).split(/\r\n|\r|\n/);
  return { line: lines.length, column: Array.from(lines.at(-1) ?? '').length + 1 };
}
