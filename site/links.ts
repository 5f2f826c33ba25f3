import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { ARCHIVE_URL, BOX_OFFICE } from './archives.ts';

export type Links = {
  /** Points the links of a file's Markdown to served paths. Links to anything else become plain text. */
  rewrite(file: string, markdown: string): string;
  /** Linked files that are not pages → the path at which to serve each. */
  files(): ReadonlyMap<string, string>;
};

/** Files that are served unchanged. */
const AS_THEY_ARE = /^(?:docs\/)?(examples\/.*)$/;

/** Files that the service serves under another name. */
const SERVED: Readonly<Record<string, string>> = {
  'docs/openapi.partner.json': '/openapi.json',
  'docs/errors.md': '/docs/errors',
  [BOX_OFFICE]: ARCHIVE_URL,
};

/** `urls`: the file of each page → the path of the page. */
export function createLinks(root: string, urls: ReadonlyMap<string, string>): Links {
  const linked = new Map<string, string>();
  const servedAt = (file: string): string | undefined => {
    const url = urls.get(file) ?? SERVED[file] ?? urls.get(`${file}/README.md`);
    const [, name] = AS_THEY_ARE.exec(file) ?? [];
    if (url !== undefined || name === undefined || !isFile(path.join(root, file))) return url;
    linked.set(file, `/docs/${name}`);
    return `/docs/${name}`;
  };
  const rewritten = (from: string, words: string, target: string): string => {
    if (/^(?:[a-z]+:|#|\/)/.test(target)) return `[${words}](${target})`;
    const [relative = '', anchor] = target.split('#');
    const file = path.posix.join(path.posix.dirname(from), relative).replace(/\/$/, '');
    const url = servedAt(file);
    if (url === undefined) return words;
    return `[${words}](${url}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return {
    files: () => linked,
    rewrite: (from, markdown) =>
      outsideOfCode(markdown, (text) =>
        text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, words: string, target: string) =>
          rewritten(from, words, target),
        ),
      ),
  };
}

/** Changes only the text outside fenced code blocks. */
export function outsideOfCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^]*?^```$)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join('');
}

const isFile = (file: string): boolean => existsSync(file) && statSync(file).isFile();
