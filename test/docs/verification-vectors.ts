import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';

export const examplesFolder = path.join(projectFolder, 'examples/verify-webhook');
export const vectorsFile = path.join(examplesFolder, 'vectors.json');

/** A fixed delivery, the receiver's clock, and what the receiver must say to it. */
export type Vector = {
  name: string;
  secret_key: string;
  now: number;
  headers: Record<string, string>;
  body_base64: string;
  body_text: string | null;
  expected: 'accept' | 'reject';
  reason: string | null;
};

export async function readVectors(): Promise<Vector[]> {
  return (JSON.parse(await readFile(vectorsFile, 'utf8')) as { vectors: Vector[] }).vectors;
}

export const bodyOf = (vector: Vector): Buffer => Buffer.from(vector.body_base64, 'base64');

/** Ways in which a file of vectors can be wrong in one place, each of which every runner must notice. */
export const spoilings: [what: string, spoil: (vectors: Vector[]) => void][] = [
  ['an accepted vector is said to be refused', (vectors) => flip(vectors, 'accept', 'reject')],
  ['a refused vector is said to be accepted', (vectors) => flip(vectors, 'reject', 'accept')],
  ['a reason is another', (vectors) => Object.assign(firstOf(vectors, 'reject'), { reason: 'other' })],
  [
    'a body has another byte',
    (vectors) => Object.assign(firstOf(vectors, 'accept'), { body_base64: 'AA==' }),
  ],
  ['there are no vectors', (vectors) => void vectors.splice(0)],
];

function flip(vectors: Vector[], from: Vector['expected'], to: Vector['expected']): void {
  Object.assign(firstOf(vectors, from), { expected: to, reason: null });
}

function firstOf(vectors: Vector[], expected: Vector['expected']): Vector {
  const found = vectors.find((vector) => vector.expected === expected);
  if (found === undefined) throw new Error(`No vector is to ${expected}`);
  return found;
}
