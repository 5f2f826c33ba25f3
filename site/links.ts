import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { ARCHIVE_URL, BOX_OFFICE } from './archives.ts';

export type Links = {
  /** Points the links in a file's Markdown to served paths. A link to a file that is not served becomes plain text. */
  rewrite(file: string, markdown: string): string;
  /** Linked files that are not pages → the path of each on the site. */
  files(): ReadonlyMap<string, string>;
};

/** Files that are served unchanged. */
const SERVED_UNCHANGED = /^(?:docs\/)?(examples\/.*)$/;

/** Files that the service serves under another name. */
const OTHER_PATHS: Readonly<Record<string, string>> = {
  'docs/openapi.partner.json': '/openapi.json',
  'docs/errors.md': '/docs/errors',
  [BOX_OFFICE]: ARCHIVE_URL,
};

/** `urls`: the file of each page → the path of the page. */
export function createLinks(root: string, urls: ReadonlyMap<string, string>): Links {
  const linked = new Map<string, string>();
  const servedAt = (file: string): string | undefined => {
    const url = urls.get(file) ?? OTHER_PATHS[file] ?? urls.get(`${file}/README.md`);
    const [, name] = SERVED_UNCHANGED.exec(file) ?? [];
    if (url !== undefined || name === undefined || !isFile(path.join(root, file))) return url;
    linked.set(file, `/docs/${name}`);
    return `/docs/${name}`;
  };
  const rewriteLink = (file: string, words: string, target: string): string => {
    if (/^(?:[a-z]+:|#|\/)/.test(target)) return `[${words}](${target})`;
    const [relative = '', anchor] = target.split('#');
    const targetFile = path.posix.join(path.posix.dirname(file), relative).replace(/\/$/, '');
    const url = servedAt(targetFile);
    if (url === undefined) return words;
    return `[${words}](${url}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  return {
    files: () => linked,
    rewrite: (file, markdown) =>
      outsideOfCode(markdown, (text) =>
        text.replaceAll(/\[([^\]]*)\]\(([^)\s]+)\)/g, (_link, words: string, target: string) =>
          rewriteLink(file, words, target),
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
