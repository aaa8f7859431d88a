import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from './consumer.ts';

/** The examples of the README, in its order. */
export async function readExamples(): Promise<string[]> {
  const readme = await readFile(join(packageDirectory, 'README.md'), 'utf8');
  return [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
}
