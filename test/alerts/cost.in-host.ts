import { missingGuards } from '../../src/operations/database/collections.ts';
import type { Figures } from '../../src/operations/metrics/figures.ts';
import { databaseReadings } from '../../src/operations/metrics/service-figures.service.ts';
import type { Service } from '../support/service.ts';

/** The database reads of a scrape. */
export async function readFigures({ db }: Service['context']): Promise<Figures[]> {
  const readings = databaseReadings({ db, missingGuards: () => missingGuards(db) });
  return Promise.all(readings.map((read) => read()));
}
