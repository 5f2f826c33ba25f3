import { afterAll, expect, test } from '@jest/globals';
import { createLogger } from '../../src/platform/logger.ts';
import { createDb, openDb } from '../../src/platform/mongo-connection.ts';
import { processMetrics } from '../../src/platform/process-metrics.ts';
import { noteZoneData, zoneDataFaults } from '../../src/platform/zone-data.ts';
import { databaseUri, freshName } from '../support/service-environment.ts';

const db = createDb();
const log = createLogger('test', 'silent');
await openDb(db, databaseUri(freshName()), log, new AbortController().signal);
afterAll(async () => {
  await db.dropDatabase();
  await db.close();
});

test('only time zone data that differs from that of other processes, or is a year old, causes a warning', () => {
  expect(zoneDataFaults('2031b', '2031b')).toEqual([]);
  expect(zoneDataFaults('2031b', undefined)).toEqual([]);
  expect(zoneDataFaults('2031b', '2031c')).toEqual([expect.stringContaining('older time zone data (2031b)')]);
  expect(zoneDataFaults('2031c', '2031b')).toEqual([expect.stringContaining('newer time zone data (2031c)')]);
  for (const newest of ['2031c', '2031d']) expect(zoneDataFaults('2030c', newest)).toHaveLength(2);
  for (const newest of ['2030d', '2031b']) expect(zoneDataFaults('2030c', newest)).toHaveLength(1);
  expect(zoneDataFaults('2024a', undefined)).toEqual([expect.stringContaining('is a year older')]);
});

test('the database stores the newest version that any process has', async () => {
  for (const version of ['2031b', '2031a', 'unknown', '2031c']) await noteZoneData({ db, log }, version);
  const remembered = await db.collection('zone_data').find().toArray();
  expect(remembered).toEqual([{ _id: 'newest', version: '2031c' }]);
  await noteZoneData({ db, log }, '2030a');
  const metrics = await processMetrics(db).metrics();
  expect(metrics).toMatch(/^time_zone_data_info\{version="2030a"\} 1$/m);
  expect(metrics).toMatch(/^time_zone_data_outdated 1$/m);
});
