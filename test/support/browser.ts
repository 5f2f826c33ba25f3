import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type Environment, executablesOnPath } from '../../src/development/embedded/run-command.ts';
import { type BrowserProgram, chromiumFromPackage } from './chromium-package.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** Pages whose scripts share a busy machine with compilers take longer than Playwright's half minute. */
const WAIT_MS = 90_000;
const LAUNCH_TIMEOUT_MS = 60_000;

/**
 * A Chromium that answers `--version`, from the first place that has one: `CHROMIUM_PATH`, the PATH, the cache folder, an npm
 * package. Undefined where no place has one, which is then said on stderr with how to install it.
 *
 * @throws Error instead where `CI` is set: there a suite that silently tests nothing would look like one that passed
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

/** Why a program is of no use; that it answers also proves that its shared libraries are there. */
async function faultOf(program: BrowserProgram): Promise<string | undefined> {
  try {
    const env = { ...process.env, ...program.env };
    const { stdout } = await promisify(execFile)(program.path, ['--version'], { env, timeout: 15_000 });
    return /\bChrom(?:e|ium)\b.* \d+\./.test(stdout) ? undefined : 'is no Chromium, going by its --version';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * Starts the browser, for which no host has an address but the loopback's. `hostName` leads there too, and unlike the loopback is
 * no host that a browser trusts without TLS. Close it in `afterAll`.
 */
export function startBrowser(program: BrowserProgram, hostName?: string): Promise<Browser> {
  const named = hostName === undefined ? '' : `MAP ${hostName} 127.0.0.1, `;
  return chromium.launch({
    executablePath: program.path,
    env: { ...process.env, ...program.env },
    // It loads pages of this project only, and its sandbox works neither as root nor in most containers.
    chromiumSandbox: false,
    args: [`--host-resolver-rules=${named}MAP * ~NOTFOUND, EXCLUDE 127.0.0.1`],
    timeout: LAUNCH_TIMEOUT_MS,
  });
}

/** Keeps a picture of the whole page for people to look at, where `SCREENSHOTS=1` asks for them: no test looks at one. */
export async function takeScreenshot(page: Page, name: string): Promise<void> {
  if (process.env['SCREENSHOTS'] !== '1') return;
  await page.screenshot({ path: `test-results/screenshots/${name}.png`, fullPage: true });
}

export type WatchedPage = {
  page: Page;
  /** Everything that a page must not do: requests to another origin, errors, breaches of its CSP. */
  faults: string[];
  close: () => Promise<void>;
};

/** An empty page, without cookies, in which only the origin of `url` can be reached. */
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
    // Chromium says on a slow machine that what Bull Board preloads was not used within seconds.
    if (message.type() === 'warning' && message.text().includes('was preloaded')) return;
    if (['error', 'warning'].includes(message.type())) faults.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`uncaught: ${error.message}`));
  return { page, faults, close: () => context.close() };
}
