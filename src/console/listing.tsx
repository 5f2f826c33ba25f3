import type { VNode } from 'preact';
import type { FieldFault } from '../domain/errors.ts';
import { encodeCursor, type Position } from '../platform/pagination.ts';
import { withQuery } from './format.rules.ts';
import { type Choice, InputField, SelectField } from './forms.tsx';
import { type Page, SECTIONS, type Section } from './layout.tsx';
import { Heading, Pager, type Row, Table, type TableProps } from './parts.tsx';
import type { PageRequest } from './request.ts';

/** One field of a filter: a choice if it has options, else a text or date. */
export type Filter = {
  name: string;
  label: string;
  isDate?: true;
  /** The label of the empty choice; `All` by default. */
  blank?: string;
  options?: readonly Choice[];
};

type Listing<Item> = Omit<TableProps, 'rows'> & {
  section: Section;
  filters: readonly Filter[];
  query: PageRequest['query'];
  /** Errors in the filters: the page shows them, and no rows. */
  faults: FieldFault[] | undefined;
  /** Content between the filters and the table. */
  above?: VNode | false;
  page: { rows: Item[]; next: Position | null };
  row: (item: Item) => Row;
  /** Whether the first page refreshes automatically. */
  isLive?: true;
};

/** A page of a listing, titled like its section: filters, rows, and a link to the next page with the same filters. */
export function listingPage<Item>(listing: Listing<Item>): Page {
  const { section, filters, query, faults, above, page, row, isLive, ...table } = listing;
  const title = SECTIONS[section];
  const { cursor, ...kept } = query;
  const { rows, next } = faults === undefined ? page : { rows: [], next: null };
  const nextCursor = encodeCursor(next);
  return {
    title,
    section,
    isLive: isLive === true && cursor === undefined,
    status: faults === undefined ? 200 : 400,
    content: (
      <>
        <Heading title={title} />
        {filters.length === 0 && faults === undefined ? null : (
          <Filters section={section} filters={filters} query={kept} faults={faults} />
        )}
        {above}
        <Table {...table} rows={rows.map(row)} />
        <Pager
          first={cursor === undefined ? null : withQuery(section, kept)}
          next={nextCursor === null ? null : withQuery(section, { ...kept, cursor: nextCursor })}
        />
      </>
    ),
  };
}

type FiltersProps = Pick<Listing<never>, 'section' | 'filters' | 'query' | 'faults'>;

/** The filters of a listing, sent to its own page by GET, each with its error. */
function Filters({ section, filters, query, faults = [] }: FiltersProps): VNode {
  return (
    <search>
      <form class="filters" action={section}>
        {filters.map((filter) => (
          <FilterField
            filter={filter}
            value={query[filter.name]}
            fault={faults.find((each) => each.path === filter.name)?.message}
          />
        ))}
        <div class="row">
          <button>Filter</button>
          {Object.keys(query).length === 0 ? null : <a href={section}>Clear</a>}
        </div>
        {faults
          .filter(({ path }) => !filters.some(({ name }) => name === path))
          .map(({ path, message }) => (
            <p class="field-error">{`${path}: ${message}`}</p>
          ))}
      </form>
    </search>
  );
}

type FilterFieldProps = { filter: Filter; value: string | undefined; fault: string | undefined };

function FilterField({ filter: { name, label, options, blank, isDate }, value, fault }: FilterFieldProps): VNode {
  const field = { id: `filter-${name}`, name, label, fault };
  if (options === undefined) return <InputField {...field} {...(isDate && { type: 'date' })} value={value} />;
  return <SelectField {...field} options={[['', blank ?? 'All'], ...options]} chosen={value} />;
}
