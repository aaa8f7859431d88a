import { fileURLToPath } from 'node:url';

/** The root of this repository, with a trailing slash. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));
