import { readFileSync } from 'node:fs';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';

const page = readFileSync(path.join(projectFolder, 'docs/contract.md'), 'utf8');

/** The names of the rules that docs/contract.md states, in its order. */
export const RULES: readonly string[] = [...page.matchAll(/^- \*\*`([^`]+)`\*\*/gm)].map(([, name = '']) => name);
