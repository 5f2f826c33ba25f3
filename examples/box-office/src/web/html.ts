const MARKUP = Symbol('markup');

/** Safe HTML, made only by `html`. */
export type Markup = { readonly [MARKUP]: string };
type Child = Markup | string | number | undefined | false | readonly Child[];

/** Makes HTML. Escapes all values except results of `html`; undefined and false add nothing. */
export function html(parts: TemplateStringsArray, ...children: readonly Child[]): Markup {
  const text = parts.reduce((before, part, index) => before + asText(children[index - 1]) + part);
  return { [MARKUP]: text };
}

export const toText = (markup: Markup): string => markup[MARKUP];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function asText(child: Child): string {
  if (child === undefined || child === false) return '';
  if (typeof child === 'string' || typeof child === 'number')
    return String(child).replaceAll(/[&<>"']/g, (each) => ENTITIES[each] ?? '');
  return MARKUP in child ? child[MARKUP] : child.map(asText).join('');
}
