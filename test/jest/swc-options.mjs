/** How TypeScript becomes what Node runs, in Jest's own process and in suites. */
export const SWC_OPTIONS = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic', importSource: 'preact' } },
    target: 'es2023',
    experimental: { keepImportAttributes: true },
  },
  module: { type: 'es6' },
  sourceMaps: 'inline',
};
