import { join } from 'node:path';

/** The path of the folder `packages/client`. */
export const packageDirectory: string = join(import.meta.dirname, '..');
