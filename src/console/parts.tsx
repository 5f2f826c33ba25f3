import type { ComponentChildren, VNode } from 'preact';
import { dateTime, words } from './format.rules.ts';

/** The states of all that the console shows, by how they look. */
const TONES: Record<string, 'good' | 'bad' | 'wait'> = {
  active: 'good',
  succeeded: 'good',
  BOOKED: 'good',
  dead_letter: 'bad',
  suspended: 'bad',
  failing: 'bad',
  faltering: 'wait',
  retrying: 'wait',
  pending: 'wait',
  ACTIVE: 'wait',
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

/** The heading of a page with what belongs beside it. */
export function Heading({ title, children }: { title: string; children?: ComponentChildren }): VNode {
  return (
    <div class="row">
      <h1>{title}</h1>
      {children}
    </div>
  );
}

export type TableProps = { caption: string; columns: readonly string[]; rows: VNode[]; empty: string };

/** A table that scrolls sideways where it is too wide, or a sentence where it has no rows. */
export function Table({ caption, columns, rows, empty }: TableProps): VNode {
  if (rows.length === 0) return <p class="faint">{empty}</p>;
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
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{rows}</tbody>
      </table>
    </div>
  );
}

/** Facts of one object, each with its name. */
export function Facts({ facts }: { facts: readonly (readonly [string, ComponentChildren])[] }): VNode {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value ?? <span class="faint">–</span>}</dd>
        </div>
      ))}
    </dl>
  );
}

/** The way to the next page of a listing, and back to the first. */
export function Pager({ first, next }: { first: string | null; next: string | null }): VNode | null {
  if (first === null && next === null) return null;
  return (
    <nav class="row end" aria-label="Pages">
      {first === null ? null : <a href={first}>First page</a>}
      {next === null ? null : <a href={next}>Next page</a>}
    </nav>
  );
}
