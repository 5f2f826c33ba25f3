/** Program run by library-download.ts: `<mongod | redis-server> <folder>`; sends the binary's path to its parent. */

import { MongoBinary } from 'mongodb-memory-server';
import { RedisBinary } from 'redis-memory-server';

const [name, downloadDir = ''] = process.argv.slice(2);

try {
  const binary =
    name === 'mongod'
      ? await MongoBinary.getPath({ downloadDir })
      : await RedisBinary.getPath({ downloadDir });
  process.send?.(binary, () => process.disconnect());
} catch (error) {
  const text = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${text.replaceAll(/\s+/g, ' ').slice(0, 300)}\n`);
  process.exitCode = 1;
  process.disconnect();
}
