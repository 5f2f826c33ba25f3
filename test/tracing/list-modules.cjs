// Preloaded into a process of the service: at its end it writes the paths of all CommonJS modules that were loaded, also by `import`.
const { writeFileSync } = require('node:fs');

process.once('exit', () => writeFileSync(process.env.MODULES_FILE, Object.keys(require.cache).join('\n')));
