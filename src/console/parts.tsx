import type { ComponentChildren, VNode } from 'preact';
import { dateTime, words } from './format.rules.ts';

/** How the console shows the state of an object; other states look neutral. */
const TONES: Record<string, 'good' | 'bad' | 'wait'> = {
  active: 'good',
  succeeded: 'good',
  BOOKED: 'good',
  dead_letter: 'bad',
  suspended: 'bad',
  unhealthy: 'bad',
  failing: 'wait',
  retrying: 'wait',
  pending: 'wait',
  ACTIVE: 'wait',
  passed: 'good',
  failed: 'bad',
  incomplete: 'wait',
  not_tried: 'wait',
};

/** A state as a word in a coloured frame. */
export function Badge({ state }: { state: string }): VNode {
  return <span class={`badge ${TONES[state] ?? ''}`}>{words(state).toLowerCase()}</span>;
}

/** An instant as the clocks in the zone show it; a dash for none. */
export function When({ at, timeZone }: { at: Date | null | undefined; timeZone: string }): VNode {
  if (at === null || at === undefined) return <span class="faint">–</span>;
  return <time datetime={at.toISOString()}>{dateTime(at, timeZone)}</time>;
}

/** The heading of a page with its actions. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return (
    <div class="row">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

/** A column by its heading, with the class of its cells if they have one. */
type Column = string | readonly [heading: string, cellClass: 'long' | 'number'];

/** The cells of a row; the first one names it. */
export type Row = ComponentChildren[];

export type TableProps = { caption: string; columns: readonly Column[]; rows: readonly Row[]; empty: string };

/** A table that scrolls sideways if it is too wide; the sentence `empty` if it has no rows. */
export function Table({ caption, columns, rows, empty }: TableProps): VNode {
  if (rows.length === 0) return <p class="faint">{empty}</p>;
  const headings = columns.map((column) => (typeof column === 'string' ? ([column] as const) : column));
  const classAt = (index: number) => headings[index]?.[1];
  return (
    <div
      class="scroll"
      id={`table-${caption.toLowerCase().replace(/\W+/g, '-')}`}
      data-keep-scroll
      role="region"
      aria-label={caption}
      tabindex={0}
    >
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {headings.map(([heading]) => (
              <th scope="col">{heading}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, ...cells]) => (
            <tr>
              <th scope="row" class={classAt(0)}>
                {name}
              </th>
              {cells.map((cell, index) => (
                <td class={classAt(index + 1)}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A part of a page with its heading. */
export function Section({ id, title, children }: { id: string; title: string; children: ComponentChildren }): VNode {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Facts of one object, each with its name. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{name}</dt>
          <dd>{value ?? <span class="faint">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Links to the next page of a listing and to the first. */
export function Pager({ first, next }: { first: string | null; next: string | null }): VNode | null {
  if (first === null && next === null) return null;
  return (
    <nav class="row end" aria-label="Pages">
      {first === null ? null : <a href={first}>First page</a>}
      {next === null ? null : <a href={next}>Next page</a>}
    </nav>
  );
}

const PATHS = {
  cross: 'M4 4l8 8M12 4l-8 8',
  plus: 'M8 3v10M3 8h10',
  clock: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M8 5v3l2 2',
  check: 'M3 8.5l3.5 3.5L13 4.5',
  person: 'M8 8a2.5 2.5 0 1 0 0-5a2.5 2.5 0 0 0 0 5M3.5 13.5c0-5 9-5 9 0',
  closed: 'M8 2.5a5.5 5.5 0 1 0 0 11a5.5 5.5 0 0 0 0-11M4.2 4.2l7.6 7.6',
  link: 'M6.5 9.5l3-3M7 5l1.5-1.500a2.500 2.500 0 0 1 3.500 3.500l-1.500 1.500M9 11l-1.500 1.500a2.500 2.500 0 0 1-3.500-3.500l1.500-1.500',
  left: 'M10 3l-5 5l5 5',
  right: 'M6 3l5 5l-5 5',
} as const;

export type IconName = keyof typeof PATHS;

/** An icon next to a word with the same meaning. */
export function Icon({ name }: { name: IconName }): VNode {
  return (
    <svg class="drawing" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.6"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
