import { fileURLToPath } from 'node:url';

/** The folder of this project. */
export const projectFolder = fileURLToPath(new URL('../../', import.meta.url));
