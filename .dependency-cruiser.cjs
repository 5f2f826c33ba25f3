// Import rules, checked by `npm run check:static` (scripts/check-dependency-rules.mjs). The script also checks that a
// component writes only its own store.

/** The folders of src/, top to bottom. Each imports only folders below it. */
const ORDER = [
  'main',
  'console',
  'cli',
  'operations',
  'booking',
  'webhooks',
  'events',
  'catalog',
  'reservations',
  'partners',
  'process',
  'http',
  'queues',
  'domain',
  'platform',
];

const foldersStandInOrder = ORDER.slice(1).map((folder, index) => ({
  name: `${folder}-imports-only-what-is-below-it`,
  severity: 'error',
  from: { path: `^src/${folder}/` },
  to: { path: `^src/(${ORDER.slice(0, index + 1).join('|')})/` },
}));

/** Matches a package however it resolves: through a workspace, a symlink, or not at all. */
const npm = (names) => `(^|node_modules/)(${names})(/|$)`;

const APPS = '^src/main/(partner-app|admin-app)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Type-only imports count too.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'Subfolders of src/ must not import each other in a cycle.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true, path: '^src/' },
    },
    {
      name: 'no-unresolvable',
      comment: 'No other rule sees an import that does not resolve.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'The image has no dev dependencies. Only the embedded mode, which is not in the image, may use them.',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/development/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },

    // router → service → store → model. no-restricted-imports in .oxlintrc.json allows only type imports of models
    // above stores, and of services in rules, because swc does not distinguish type-only imports.
    {
      name: 'router-calls-services-only',
      severity: 'error',
      from: { path: '\\.router\\.ts$' },
      to: { path: '\\.store\\.ts$' },
    },
    {
      name: 'service-knows-no-transport',
      comment: 'A service must run under Express, a worker or a test: no request, no schema, no driver.',
      severity: 'error',
      from: { path: '\\.service\\.ts$' },
      to: { path: `${npm('express|joi|mongoose|@types/express')}|\\.(router|schemas)\\.ts$|^src/http/` },
    },
    {
      name: 'store-knows-no-caller',
      severity: 'error',
      from: { path: '\\.store\\.ts$' },
      to: { path: `\\.(service|router|schemas)\\.ts$|^src/http/|${npm('express|joi|@types/express')}` },
    },
    {
      name: 'model-knows-no-caller',
      severity: 'error',
      from: { path: '\\.model\\.ts$' },
      to: { path: `\\.(store|service|router|schemas)\\.ts$|^src/http/|${npm('express|joi|@types/express')}` },
    },
    {
      name: 'rules-are-pure',
      comment: 'Rules take values and return values: no I/O, no framework, no configuration.',
      severity: 'error',
      from: { path: '\\.rules\\.ts$' },
      to: {
        path: [
          npm('express|joi|mongoose|bullmq|ioredis|undici|@types/express'),
          '\\.(router|schemas|store)\\.ts$',
          '^src/(http|queues)/|^src/process/([^/]+|config/config)\\.ts$|^src/platform/(logger|mongo|mongo-connection|redis|redis-info)\\.ts$',
        ],
      },
    },

    // Libraries with restricted importers
    {
      name: 'mongoose-in-stores-and-models',
      severity: 'error',
      from: {
        pathNot: ['\\.(store|model)\\.ts$', '^src/platform/(mongo|mongo-schema|mongo-connection|bulk-writes)\\.ts$'],
      },
      to: { path: npm('mongoose|mongodb') },
    },
    {
      name: 'bullmq-in-queues-and-workers',
      severity: 'error',
      from: { pathNot: ['^src/queues/', '^workers/'] },
      to: { path: npm('bullmq') },
    },
    {
      name: 'bull-board-in-operators',
      severity: 'error',
      from: { pathNot: '^src/operations/operators/' },
      to: { path: npm('@bull-board/[^/]+') },
    },
    {
      name: 'embedded-servers-in-embedded-mode',
      severity: 'error',
      from: { pathNot: '^src/development/embedded/' },
      to: { path: npm('mongodb-memory-server(-core)?|redis-memory-server') },
    },

    // Modules with restricted importers
    {
      name: 'routers-are-mounted-by-the-apps',
      severity: 'error',
      from: { pathNot: APPS },
      to: { path: '\\.router\\.ts$' },
    },
    {
      name: 'apps-are-started-by-the-api',
      severity: 'error',
      from: { pathNot: '^src/main/api\\.ts$' },
      to: { path: APPS },
    },
    {
      name: 'workers-know-no-http',
      severity: 'error',
      from: { path: '^workers/' },
      to: { path: `^src/http/|\\.(router|schemas)\\.ts$|${npm('express|@types/express')}` },
    },
    ...foldersStandInOrder,
    {
      name: 'development-imports-process-and-platform-only',
      severity: 'error',
      from: { path: '^src/development/' },
      to: { path: '^src/(?!(?:development|process|platform)/)' },
    },
    {
      name: 'tools-are-not-used-by-the-product',
      comment: 'The product is built without the benchmark, the scripts and the tests.',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { path: '^(bench|scripts|test)/' },
    },
    {
      name: 'development-is-used-by-itself-only',
      comment: 'The production image leaves src/development out.',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/development/' },
      to: { path: '^src/development/' },
    },
  ],
  options: {
    // TypeScript 7 has no compiler API; swc reads the imports, type-only ones included.
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
};
