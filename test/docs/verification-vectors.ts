import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';

export const examplesFolder = path.join(projectFolder, 'examples/verify-webhook');
const vectorsFile = path.join(examplesFolder, 'vectors.json');

/** A fixed delivery, the receiver's clock, and the receiver's expected verdict. */
type Vector = {
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
