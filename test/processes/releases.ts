/** Program of release-order.system.test.ts: `<program> [fail]`. While it stops, it causes all other kinds of stop. */

import { once } from 'node:events';
import { runProcess } from '../../src/process/lifecycle.ts';

runProcess('migrate', async (scope) => {
  const onStop = (part: string, release = () => Promise.resolve()) =>
    scope.onStop(part, async () => {
      scope.log.info({ part }, 'releasing');
      await release();
    });
  onStop('oldest');
  onStop('middle');
  onStop('newest', async () => {
    if (process.connected) await once(process, 'disconnect');
    scope.stop();
    scope.fail(new Error('failed while stopping'));
    onStop('late');
  });
  if (process.argv.includes('fail')) throw new Error('failed');
  // Keep the process running until it is stopped.
  setInterval(() => undefined, 1000);
  return {};
});
