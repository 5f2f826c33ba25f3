// Preloaded into a process of the service. At its end, writes the paths of all loaded CommonJS modules, including those
// loaded by `import`.
const { writeFileSync } = require('node:fs');

process.once('exit', () => writeFileSync(process.env.MODULES_FILE, Object.keys(require.cache).join('\n')));
