import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { GROUPS } from './navigation.ts';
import type { SitePage } from './pages.ts';

type Data = {
  /** The page's Markdown as HTML. */
  content: string;
  entry: SitePage;
  pages: readonly SitePage[];
  /** Name of an asset → its path. */
  assets: Readonly<Record<string, string>>;
};

/** Renders a whole HTML page. */
export function renderPage(data: Data): string {
  return `<!doctype html>\n${renderToString(<Page {...data} />)}\n`;
}

function Page({ content, entry, pages, assets }: Data): VNode {
  // The page for unknown paths has no Markdown file.
  const isListed = pages.some(({ url }) => url === entry.url);
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{`${entry.title} · Partner Booking Service`}</title>
        <meta name="description" content={entry.description} />
        <link rel="icon" href={assets['icon.svg']} />
        {isListed && <link rel="alternate" type="text/markdown" href={`${entry.url}.md`} />}
        <link rel="stylesheet" href={assets['site.css']} />
        <script
          type="module"
          src={assets['site.js']}
          data-search={assets['search.js']}
          data-index={assets['search-index.json']}
        />
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to the content
        </a>
        <Header />
        <div class="frame">
          <Navigation current={entry.url} pages={pages} />
          <main id="content">
            <article dangerouslySetInnerHTML={{ __html: content }} />
            <footer>
              {isListed && (
                <>
                  <a href={`${entry.url}.md`}>This page as Markdown</a> ·{' '}
                </>
              )}
              <a href="/llms.txt">llms.txt</a> · <a href="/openapi.json">openapi.json</a>
            </footer>
          </main>
          <OnThisPage content={content} />
        </div>
      </body>
    </html>
  );
}

function Header(): VNode {
  return (
    <header class="top">
      <a class="brand" href="/docs">
        Partner Booking Service <span>Docs</span>
      </a>
      <div class="search" role="search" hidden>
        <input type="search" id="search" placeholder="Search" aria-label="Search" autocomplete="off" />
        <kbd aria-hidden="true">/</kbd>
        <div class="results" role="region" aria-label="Search results" aria-live="polite" hidden />
      </div>
      <a class="reference" href="/docs/reference">
        API reference
      </a>
      <button class="menu" type="button" aria-expanded="false" aria-controls="navigation" hidden>
        Menu
      </button>
    </header>
  );
}

function Navigation({ current, pages }: { current: string; pages: readonly SitePage[] }): VNode {
  const isError = current.startsWith('/docs/errors/');
  const isCurrent = (url: string) => (url === current ? 'page' : isError && url === '/docs/errors');
  return (
    <nav id="navigation" aria-label="Documentation">
      {GROUPS.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {group === 'Reference' ? (
              <li>
                <a href="/docs/reference">API reference</a>
              </li>
            ) : null}
            {pages
              .filter((page) => page.group === group)
              .map(({ url, label }) => (
                <li key={url}>
                  <a href={url} aria-current={isCurrent(url) || undefined}>
                    {label}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </nav>
  );
}

/** The headings of the page, if it has more than one. */
function OnThisPage({ content }: { content: string }): VNode {
  const headings = [...content.matchAll(/<h2 id="([^"]+)"[^>]*>(.*?)<\/h2>/gs)];
  if (headings.length < 2) return <aside />;
  return (
    <aside aria-label="On this page">
      <h2>On this page</h2>
      <ul>
        {headings.map(([, id = '', html = '']) => (
          <li key={id}>
            <a href={`#${id}`} dangerouslySetInnerHTML={{ __html: html.replaceAll(/<\/?a\b[^>]*>/g, '') }} />
          </li>
        ))}
      </ul>
    </aside>
  );
}
