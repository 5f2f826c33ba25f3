import { interleave, rateFigure, runOf } from '../compare.ts';
import { startConstant } from '../constant/constant.ts';
import type { Row } from './row.ts';

/** The middleware that all routes share (request id, headers, log line), with a response body of two bytes. */
export const middlewareRow: Row<'middleware' | 'healthz'> = {
  name: 'middleware',
  workers: [],
  measure: async (bench) => {
    const { product } = bench;
    const server = await startConstant(bench, { body: 'ok', etag: '"1"' });
    const get = async (port: number, path: string) => {
      const params = { port, apiKeys: [], paths: [path] };
      return runOf(await bench.callLimit({ step: 'get', params }, { server: server.pid }), '200');
    };
    const variants = {
      limit: () => get(server.barePort, '/ok'),
      middleware: () => get(server.port, '/ok'),
      healthz: async () => {
        const params = { port: product.port, apiKeys: [], paths: ['/healthz'] };
        return runOf(await bench.callProduct({ step: 'get', params }), '200');
      },
    };
    for (const warm of Object.values(variants)) await warm();
    const runs = await interleave(bench.runs, variants);
    await server.stop();
    return {
      middleware: rateFigure(runs.middleware, runs.limit),
      healthz: rateFigure(runs.healthz, runs.limit),
    };
  },
};
