import { readFileSync } from 'node:fs';
import { repository } from './repository.ts';

const { scripts } = JSON.parse(readFileSync(`${repository}package.json`, 'utf8')) as {
  scripts: { start: string };
};

/** The flags that `npm start` passes to Node. */
export const nodeFlags: readonly string[] = scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'));
