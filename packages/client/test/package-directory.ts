import { join } from 'node:path';

/** The folder of this package. */
export const packageDirectory: string = join(import.meta.dirname, '..');
