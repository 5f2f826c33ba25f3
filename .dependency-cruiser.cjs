// Which file may import which, checked by `npm run check:static` (scripts/check-dependency-rules.mjs). Beside these the script
// checks that a component writes only its own store.

/** The folders of src/, from top to bottom: each imports only those below it. */
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

/** A package is matched wherever it resolves to: through a workspace, a symlink, or not at all. */
const npm = (names) => `(^|node_modules/)(${names})(/|$)`;

const APPS = '^src/main/(partner-app|admin-app)\\.ts$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Type-only imports count: two files that name each other are one file in two halves.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycles',
      comment: 'Folders within the folders of src/ do not import each other either.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^src/' },
      to: { circular: true, path: '^src/' },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that leads nowhere would hide from every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'The image has no dev dependencies; only the embedded mode, which it leaves out, may use them.',
      severity: 'error',
      from: { path: '^(src|workers)/', pathNot: '^src/development/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },

    // router → service → store → model. That nothing above a store uses more of a model than its types, nor rules more of
    // a service, is checked by no-restricted-imports in .oxlintrc.json: swc does not tell a type-only import apart.
    {
      name: 'router-calls-services-only',
      severity: 'error',
      from: { path: '\\.router\\.ts$' },
      to: { path: '\\.store\\.ts$' },
    },
    {
      name: 'service-knows-no-transport',
      comment: 'A service runs the same under Express, a worker or a test: no request, no schema, no driver.',
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

    // Each library in its place
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

    // Who may import whom
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
      comment: 'The benchmark, the scripts and the tests use the product, which is built without them.',
      severity: 'error',
      from: { path: '^(src|workers)/' },
      to: { path: '^(bench|scripts|test)/' },
    },
    {
      name: 'development-is-used-by-itself-only',
      comment: 'So that the production image can leave it out.',
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
