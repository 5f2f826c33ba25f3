import type { VNode } from 'preact';
import type { FieldFault } from '../domain/errors.ts';
import type { Position } from '../platform/pagination.ts';
import { encodeCursor } from '../platform/pagination.ts';
import { withQuery } from './format.rules.ts';
import type { Filter } from './forms.tsx';
import { Filters } from './forms.tsx';
import type { Page } from './layout.tsx';
import type { Section } from './navigation.ts';
import type { TableProps } from './parts.tsx';
import { Heading, Pager, Table } from './parts.tsx';
import type { PageRequest } from './request.ts';

type Listing = {
  section: Section;
  title: string;
  filters: readonly Filter[];
  request: PageRequest;
  /** What is wrong with the filters: the page says so, and has no rows. */
  faults: FieldFault[] | undefined;
  /** What stands between the filters and the table. */
  above?: VNode | null;
  table: TableProps;
  next: Position | null;
  /** Whether the first page is kept up to date while it is open. */
  isLive?: true;
};

/** A page of a listing: its filters, its rows, and the way to the next page with the same filters. */
export function listingPage({ section, title, request, faults, above, next, ...listing }: Listing): Page {
  const { cursor, ...kept } = request.query;
  const nextCursor = encodeCursor(next);
  return {
    title,
    section,
    isLive: listing.isLive === true && cursor === undefined,
    status: faults === undefined ? 200 : 400,
    content: (
      <>
        <Heading title={title} />
        {listing.filters.length === 0 && faults === undefined ? null : (
          <Filters filters={listing.filters} request={{ ...request, query: kept }} faults={faults} />
        )}
        {above}
        <Table {...listing.table} />
        <Pager
          first={cursor === undefined ? null : withQuery(section, kept)}
          next={nextCursor === null ? null : withQuery(section, { ...kept, cursor: nextCursor })}
        />
      </>
    ),
  };
}
