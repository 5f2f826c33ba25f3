import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Environment, executablesOnPath } from '../../src/development/embedded/run-command.ts';
import { type BrowserProgram, chromiumFromPackage } from './chromium-package.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** On a busy machine, scripts need longer than Playwright's default of 30 s. */
const WAIT_MS = 90_000;
const LAUNCH_TIMEOUT_MS = 60_000;

/**
 * A Chromium that answers `--version`: from `CHROMIUM_PATH`, the PATH, the cache folder or an npm package, in this
 * order. If none works, prints on stderr how to install one and returns undefined.
 * @throws Error if `CI` is set, because there a suite that silently tests nothing would seem to pass
 */
export async function findBrowser(env: Environment = process.env): Promise<BrowserProgram | undefined> {
  const tried: string[] = [];
  const own = env['CHROMIUM_PATH'];
  const installed = await executablesOnPath(NAMES, env);
  for (const file of own ? [path.resolve(own), ...installed] : installed) {
    const fault = await faultOf({ path: file, env: {} });
    if (fault === undefined) return { path: file, env: {} };
    tried.push(`${file}: ${fault}`);
  }
  try {
    const program = await chromiumFromPackage(env);
    const fault = await faultOf(program);
    if (fault === undefined) return program;
    tried.push(`${program.path}: ${fault}`);
  } catch (error) {
    tried.push(`an npm package: ${error instanceof Error ? error.message : String(error)}`);
  }
  const message =
    `No Chromium that runs was found (${NAMES.join(', ')} on the PATH, or CHROMIUM_PATH), and none could be fetched:` +
    `${tried.map((line) => `\n  - ${line}`).join('')}\nTo install one: apt install chromium, or set CHROMIUM_PATH.`;
  if (env['CI']) throw new Error(message);
  process.stderr.write(`The tests in a browser are SKIPPED. ${message}\n`);
  return undefined;
}

/** Why a program is unusable; undefined if it answers `--version`, which it does only with its shared libraries. */
async function faultOf(program: BrowserProgram): Promise<string | undefined> {
  try {
    const env = { ...process.env, ...program.env };
    const { stdout } = await promisify(execFile)(program.path, ['--version'], { env, timeout: 15_000 });
    return /\bChrom(?:e|ium)\b.* \d+\./.test(stdout) ? undefined : 'its --version is not that of a Chromium';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Starts a browser that reaches only the loopback address. `hostName` is a second name for this address: without TLS,
 * browsers trust the address but not the name. Close the browser in `afterAll`.
 */
export function startBrowser(program: BrowserProgram, hostName?: string): Promise<Browser> {
  const nameRule = hostName === undefined ? '' : `MAP ${hostName} 127.0.0.1, `;
  return chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env },
    // The sandbox works neither as root nor in most containers, and the browser loads only pages of this project.
    chromiumSandbox: false,
    args: [`--host-resolver-rules=${nameRule}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`],
    timeout: LAUNCH_TIMEOUT_MS,
  });
}

/** With `SCREENSHOTS=1`, saves a picture of the whole page for people to look at. Tests do not use it. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return;
  await page.screenshot({ path: `test-results/screenshots/${name}.png`, fullPage: true });
}

export type WatchedPage = {
  page: Page;
  /** Requests to another origin, errors, and violations of the page's CSP. */
  faults: string[];
  close: () => Promise<void>;
};

/** An empty page without cookies that can reach only the origin of `url`. */
export async function watchedPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const { origin } = new URL(url);
  const faults: string[] = [];
  const context = await browser.newContext(options);
  context.setDefaultTimeout(WAIT_MS);
  await context.addInitScript(
    "document.addEventListener('securitypolicyviolation', (e) => console.error('CSP', e.effectiveDirective, e.blockedURI))",
  );
  await context.route(
    (target) => target.origin !== origin,
    async (route) => {
      faults.push(`request to ${route.request().url()}`);
      await route.abort();
    },
  );
  const page = await context.newPage();
  page.on('console', (message) => {
    // On a slow machine, Chromium warns that files which Bull Board preloads were not used within seconds.
    if (message.type() === 'warning' && message.text().includes('was preloaded')) return;
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  return { page, faults, close: () => context.close() };
}
