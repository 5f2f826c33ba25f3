import { existsSync, readFileSync } from 'node:fs';
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
export function brokenLinks(page: Document): string[] {
  const targets = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target) && !isWorking(page, target));
}

function isWorking({ file, text }: Document, target: string): boolean {
  const [relative = '', anchor] = target.split('#');
  const linked = path.join(projectFolder, path.dirname(file), relative);
  if (!existsSync(linked)) return false;
  if (anchor === undefined) return true;
  return anchorsOf(relative === '' ? text : readFileSync(linked, 'utf8')).includes(anchor);
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
