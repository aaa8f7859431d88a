import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from './consumer.ts';

/** The examples of the README, in their order. Those of the guides are run by tests of the server. */
export async function readExamples(): Promise<string[]> {
  const text = await readFile(join(packageDirectory, 'README.md'), 'utf8');
  return Array.from(text.matchAll(/^```ts\n(.*?)^```$/gms), ([, code = '']) => code);
}
