import { createBaseApp } from '../../src/http/base-app.ts';
import { errorHandler } from '../../src/http/error-handler.ts';
import type { Listener } from '../../src/http/listen.ts';
import { listen } from '../../src/http/listen.ts';
import { notFound } from '../../src/http/mount-routes.ts';
import { createLogger } from '../../src/platform/logger.ts';

/** A page under the same policy that does all that a page must not do, and then sets `isThrough`. */
export function startFaultyPage(): Promise<Listener> {
  const app = createBaseApp(createLogger('api', 'silent', { write: () => undefined }));
  app.get('/', (_req, res) => {
    res.type('html').send(`<!doctype html><link rel="icon" href="data:,">
<link rel="stylesheet" href="https://cdn.example/style.css"><script>window.isInline = true</script><script src="/a.js"></script>`);
  });
  app.get('/a.js', (_req, res) => {
    res.type('js').send(`setTimeout(() => { throw new Error('thrown in the page') });
Promise.allSettled([fetch('http://127.0.0.1:9/'), fetch('/nothing')]).then(() => { window.isThrough = true });`);
  });
  app.use(notFound);
  app.use(errorHandler);
  return listen(app, '127.0.0.1', 0);
}
