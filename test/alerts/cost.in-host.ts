import { missingGuards } from '../../src/database/collections.ts';
import { figureReaders, readServiceFigures } from '../../src/metrics/service-figures.service.ts';
import type { Service } from '../support/service.ts';

/** What a scrape reads of the database. */
export function readFigures({ db }: Service['context']): ReturnType<typeof readServiceFigures> {
  const readers = figureReaders({ db, missingGuards: () => missingGuards(db) });
  return readServiceFigures(readers, (reading) => reading);
}
