import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import http from 'highlight.js/lib/languages/http';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import MarkdownIt from 'markdown-it';
import anchor from 'markdown-it-anchor';

const LANGUAGES = { bash, go, http, javascript, json, python, typescript, yaml };
const OTHER_NAMES: Readonly<Record<string, string>> = {
  sh: 'bash',
  js: 'javascript',
  mjs: 'javascript',
  ts: 'typescript',
};

for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

/** A heading's id by GitHub's rule: lower case, without punctuation, spaces as hyphens. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');

/** The site's Markdown renderer. Headings have links. Code is highlighted when the site is built. */
export function createMarkdown(): MarkdownIt {
  const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
  markdown.use(anchor, { slugify: slugOf, level: [2, 3], permalink: anchor.permalink.headerLink() });
  markdown.renderer.rules.fence = (tokens, index) => {
    const { info = '', content = '' } = tokens[index] ?? {};
    return codeBlock(info.trim(), content);
  };
  // Focusable, so that the keyboard can scroll wide tables sideways.
  markdown.renderer.rules['table_open'] = () =>
    '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>';
  markdown.renderer.rules['table_close'] = () => '</table></div>';
  return markdown;
}

/** The highlighter's name of a language; undefined if it does not know the language. */
function languageOf(info: string): string | undefined {
  const name = OTHER_NAMES[info] ?? info;
  return hljs.getLanguage(name) === undefined ? undefined : name;
}

function codeBlock(info: string, text: string): string {
  const language = languageOf(info);
  const code =
    language === undefined ? new MarkdownIt().utils.escapeHtml(text) : hljs.highlight(text, { language }).value;
  return `<div class="code" data-language="${info}"><pre tabindex="0" role="group" aria-label="Code${
    info === '' ? '' : ` in ${info}`
  }"><code>${code}</code></pre></div>\n`;
}
