import { fileURLToPath } from 'node:url';

/** The path of this repository's root folder, with a slash at the end. */
export const repository = fileURLToPath(new URL('../../../', import.meta.url));
