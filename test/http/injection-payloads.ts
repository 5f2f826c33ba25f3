/** The part of a request that a payload replaces. A `field` is a member of the body; `body` is all of it. */
export type Place = 'body' | 'field' | 'query' | 'path' | 'header';

/** One way to replace a legal value with a payload. */
export type Shot = {
  name: string;
  /** An object or a list, or text that some query parsers turn into one; scalars must reject it. */
  isStructure?: true;
  /** The bytes of the payload: in a query the whole pair, elsewhere the value; `legal` has the same form. */
  raw: (name: string, legal: string) => Buffer;
};

/** A payload as JSON, and as text for a query, a path or a header. */
type Payload = { name: string; json: string | Buffer; text: string | Buffer; isStructure?: true };

/** Requests contain this only as the operand of an operator. */
const OPERAND = 'operand-of-an-injection';

/** The value of members that no caller may set. */
export const FORGED = 'forged-by-a-caller';

/** Operators of the database with the operands of the payloads. If the database gets one, an injection has worked. */
export const OPERATORS: Readonly<Record<string, unknown>> = {
  $ne: OPERAND,
  $gt: '',
  $regex: '.*',
  $where: `sleep(5000) || "${OPERAND}"`,
  $in: [null, OPERAND],
  $nin: [OPERAND],
  $exists: OPERAND,
  $or: [{}, {}],
  $expr: { $eq: [1, 1] },
  $function: { body: OPERAND, args: [], lang: 'js' },
  $set: { status: 'active', role: OPERAND },
};

const textPayload = (name: string, text: string): Payload => ({ name, json: JSON.stringify(text), text });
const literal = (name: string, json: string): Payload => ({ name, json, text: json.slice(0, 3000) });
const structure = (name: string, json: string): Payload => ({ ...literal(name, json), isStructure: true });
const operator = (key: string, operand: unknown): Payload =>
  structure(`the operator ${key}`, JSON.stringify({ [key]: operand }));
const bytes = (name: string, value: Buffer): Payload => ({
  name,
  json: Buffer.concat([Buffer.from('"'), value, Buffer.from('"')]),
  text: value,
});

const PAYLOADS: readonly Payload[] = [
  ...Object.entries(OPERATORS).map(([key, operand]) => operator(key, operand)),
  structure('an ObjectId of BSON', '{"_bsontype":"ObjectId","id":"000000000000"}'),
  structure('the member __proto__', '{"__proto__":{"polluted":true}}'),
  structure('the member constructor', '{"constructor":{"prototype":{"polluted":true}}}'),
  structure('the member prototype', '{"prototype":{"polluted":true}}'),
  structure('an object that looks like a string', '{"length":5,"0":"a","toString":"x","valueOf":"y","toJSON":1}'),
  structure('a list of texts', '["a","b"]'),
  structure('a list in a list', '[[[["a"]]]]'),
  structure('a list of 30,000 numbers', `[${'1,'.repeat(29_999)}1]`),
  structure('10,000 nested objects', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`),
  structure('10,000 nested lists', `${'['.repeat(10_000)}${']'.repeat(10_000)}`),
  textPayload('an operator as text', '{"$ne":null}'),
  textPayload('the name of an operator', '$where'),
  textPayload('a variable of an aggregation', '$$ROOT'),
  textPayload('a pattern for everything', '.*'),
  textPayload('a pattern that backtracks', `(a+)+$${'a'.repeat(60)}!`),
  textPayload('__proto__ as text', '__proto__'),
  textPayload('constructor as text', 'constructor'),
  textPayload('NUL', 'a\u0000b'),
  textPayload('control characters', 'a\u0001\u0008\u001b[2J\u007f\u0085'),
  textPayload('the first half of a surrogate pair', 'a\ud800'),
  textPayload('the second half of a surrogate pair', '\udfffa'),
  textPayload('a line of a log', 'x\r\n{"level":50,"msg":"forged"}'),
  textPayload('a header', 'x\r\nSet-Cookie: forged=1'),
  textPayload('a change of direction', 'a\u202egnp.exe\u2066'),
  textPayload('a byte order mark', '\ufeffa'),
  textPayload('a dollar in full width', '＄ne\u200b'),
  textPayload('a template', '{{7*7}}${7*7}<%= 7*7 %>#{7*7}'),
  textPayload('SQL', "' OR '1'='1'; DROP TABLE bookings;--"),
  textPayload('shell commands', '$(touch forged)`id`;| cat /etc/passwd &'),
  textPayload('a JNDI look-up', '${jndi:ldap://127.0.0.1:9/a}'),
  textPayload('a path', '../../../../etc/passwd'),
  textPayload('HTML', '"><script>alert(1)</script><img src=x onerror=alert(1)>'),
  textPayload('empty text', ''),
  { ...textPayload('a very long text', 'x'.repeat(60_000)), text: 'x'.repeat(6000) },
  bytes('bytes that are not UTF-8', Buffer.from([0x61, 0xff, 0xfe, 0xc0, 0xaf, 0xed, 0xa0, 0x80])),
  literal('null', 'null'),
  literal('true', 'true'),
  literal('minus zero', '-0'),
  literal('NaN', 'NaN'),
  literal('1e400', '1e400'),
  literal('the smallest fraction', '5e-324'),
  literal('an integer beyond the safe range', '9007199254740993'),
  literal('a number of 100,000 digits', '9'.repeat(100_000)),
];

const joined = (...parts: (string | Buffer)[]): Buffer =>
  Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));

const jsonShots = PAYLOADS.map(({ json, text: _text, ...rest }): Shot => ({ ...rest, raw: () => joined(json) }));

const structureShot = (name: string, raw: Shot['raw']): Shot => ({ name, isStructure: true, raw });

const fieldShots: Shot[] = [
  ...jsonShots,
  structureShot('the field twice', (name, legal) => joined(`${legal},${JSON.stringify(name)}:{"$gt":""}`)),
];

const bodyShots: Shot[] = [
  ...jsonShots,
  ...[
    `"__proto__":{"polluted":true,"status":"active"}`,
    `"constructor":{"prototype":{"polluted":true}}`,
    `"$where":"sleep(5000)","$set":{"role":"${OPERAND}"},"a.b":1,"a\\u0000":1`,
    `"_id":"${FORGED}","partner_id":"${FORGED}","partnerId":"${FORGED}","claimed":"${FORGED}","role":"${OPERAND}"`,
  ].map((members) => ({
    name: `before the legal members: ${members.slice(0, 24)}`,
    raw: (_name: string, legal: string) => joined(legal.replace(/\{/, `{${members}${legal === '{}' ? '' : ','}`)),
  })),
  { name: 'a byte order mark before the body', raw: (_name, legal) => joined('\ufeff', legal) },
  { name: 'two bodies', raw: (_name, legal) => joined(legal, legal) },
  { name: 'another encoding', raw: (_name, legal) => Buffer.from(legal, 'utf16le') },
];

const queryShots: Shot[] = [
  ...PAYLOADS.map(({ name, text }) => ({ name, raw: (field: string) => joined(field, '=', encoded(text)) })),
  ...['[$ne]', '[$gt]', '[$regex]', '[$where]', '[$in][]', '[]', '[0]', '[__proto__][polluted]', '.$ne'].map((suffix) =>
    structureShot(`${suffix} after its name`, (field) => joined(field, suffix, '=.*')),
  ),
  ...['[$ne]', '[__proto__][polluted]', '[constructor][prototype][polluted]'].map((suffix) =>
    structureShot(`${suffix} after the legal value`, (field, legal) =>
      joined(field, '=', encoded(legal), '&', field, suffix, '=.*'),
    ),
  ),
  structureShot('the parameter twice', (field, legal) =>
    joined(field, '=', encoded(legal), '&', field, '=', encoded(legal)),
  ),
  { name: 'incomplete percent-encoding', raw: (field) => joined(field, '=%E0%A4%A') },
];

/** Every way to put each payload in a place. */
export const SHOTS: Readonly<Record<Place, readonly Shot[]>> = {
  body: bodyShots,
  field: fieldShots,
  query: queryShots,
  // An empty segment would make another path.
  path: PAYLOADS.filter(({ text }) => text !== '').map(({ name, text }) => ({
    name,
    raw: () => joined(encoded(text)),
  })),
  header: PAYLOADS.map(({ name, text }) => ({ name, raw: () => joined(text) })),
};

/** The number of payloads, each counted once for all places. */
export const PAYLOAD_COUNT = PAYLOADS.length;

/** Percent-encodes every byte except letters, digits, `_` and `-`, valid UTF-8 or not. */
function encoded(text: string | Buffer): string {
  return [...joined(text)]
    .map((byte) => {
      const character = String.fromCharCode(byte);
      return /[\w-]/.test(character) ? character : `%${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
}

/** The paths in a document or command where a payload is an operator or a member. */
export function injectedInto(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, member]) => {
    const isOperator = key in OPERATORS && isSame(member, OPERATORS[key]);
    const isInjected = isOperator || NEVER_A_KEY.has(key) || member === FORGED;
    return isInjected ? [`${path}/${key}`] : injectedInto(member, `${path}/${key}`);
  });
}

const isSame = (member: unknown, operand: unknown) => JSON.stringify(member) === JSON.stringify(operand);

/** Names that no document and no command of the service contains. */
const NEVER_A_KEY = new Set([
  ...['polluted', 'role', '__proto__', 'constructor', 'prototype', '_bsontype'],
  ...['$where', '$regex', '$function', '$accumulator'],
]);
