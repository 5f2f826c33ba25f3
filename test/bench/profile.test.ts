import { expect, test } from '@jest/globals';
import { costsOf } from '../../bench/profile.ts';

const node = (id: number, functionName: string, url: string) => ({ id, callFrame: { functionName, url } });

test('costs are by package, module of Node and folder of the service, and what is no work is left out', () => {
  const nodes = [
    node(1, '(idle)', ''),
    node(2, '(garbage collector)', ''),
    node(3, 'a', 'file:///app/node_modules/mongoose/node_modules/mongodb/lib/cmap/connection.js'),
    node(4, 'b', 'file:///app/node_modules/@hapi/hoek/lib/clone.js'),
    node(5, 'c', 'node:internal/stream_base_commons'),
    node(6, 'd', 'file:///app/dist/src/booking/holds/place-hold.service.js'),
    node(7, 'e', 'file:///app/dist/workers/webhook-delivery.js'),
    node(8, 'f', 'file:///app/node_modules/mongoose/node_modules/mongodb/lib/sdam/topology.js'),
  ];
  const samples = [1, 2, 3, 4, 5, 6, 7, 8];
  const timeDeltas = [9000, 40, 30, 10, 5, 3, 2, 10];
  expect(costsOf({ nodes, samples, timeDeltas })).toEqual([
    { where: '(garbage collector)', share: 0.4 },
    { where: 'mongodb', share: 0.4 },
    { where: '@hapi/hoek', share: 0.1 },
    { where: 'node:internal/stream_base_commons', share: 0.05 },
    { where: 'src/booking/holds', share: 0.03 },
    { where: 'workers', share: 0.02 },
  ]);
});
