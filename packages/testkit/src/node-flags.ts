import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
) as { scripts: { start: string } };

/** The flags that `npm start` gives to Node. */
export const nodeFlags: readonly string[] = scripts.start
  .split(' ')
  .filter((word) => word.startsWith('--'));
