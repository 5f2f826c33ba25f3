import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { projectFolder } from '../architecture/planted-tree.ts';

/** A Markdown file of the project; `file` is its path from the project's folder. */
export type Document = { file: string; text: string };

export async function readDocument(file: string): Promise<Document> {
  return { file, text: await readFile(path.join(projectFolder, file), 'utf8') };
}

/** The pages at the root, and all pages below docs/ and examples/. */
export async function readDocuments(): Promise<Document[]> {
  const below = await Promise.all(
    ['docs', 'examples'].map(async (folder) =>
      (await readdir(path.join(projectFolder, folder), { recursive: true }))
        .filter((name) => name.endsWith('.md'))
        .map((name) => path.join(folder, name)),
    ),
  );
  return Promise.all(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...below.flat().toSorted()].map(readDocument));
}

/** A fenced block, and the paragraph above it. */
export type Block = { language: string; text: string; above: string };

export function blocksOf({ text }: Pick<Document, 'text'>): Block[] {
  return [...text.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map((match) => ({
    language: match[1] ?? '',
    text: match[2] ?? '',
    above: text.slice(0, match.index).trimEnd().split('\n\n').at(-1) ?? '',
  }));
}

/** The text without its fenced blocks. */
export function proseOf({ text }: Pick<Document, 'text'>): string {
  return text.replaceAll(/^```\w*\n[^]*?^```$/gm, '');
}

/** Broken links to files of the project: the file or the heading is missing. */
export async function brokenLinks({ file, text }: Document): Promise<string[]> {
  const targets = [...proseOf({ text }).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const internal = targets.filter((target) => !/^[a-z]+:/.test(target));
  const verdicts = await Promise.all(internal.map(async (target) => [target, await isWorking({ file, text }, target)]));
  return verdicts.filter(([, isGood]) => isGood === false).map(([target]) => String(target));
}

async function isWorking(page: Document, target: string): Promise<boolean> {
  const [relative = '', anchor] = target.split('#');
  if (relative === '') return anchor !== undefined && anchorsOf(page.text).includes(anchor);
  const file = path.join(path.dirname(page.file), relative);
  try {
    if (anchor === undefined) return await exists(file);
    return anchorsOf((await readDocument(file)).text).includes(anchor);
  } catch {
    return false;
  }
}

async function exists(file: string): Promise<boolean> {
  await readFile(path.join(projectFolder, file)).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EISDIR') throw error;
  });
  return true;
}

/** Anchors as GitHub makes them: lower case, no punctuation, hyphens for spaces. */
function anchorsOf(text: string): string[] {
  return [...proseOf({ text }).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
