import { StartupError } from '@animal-store/runtime';
import { expect, test } from 'vitest';
import { checkOpenFiles } from './check-open-files.ts';

test.each([
  ['embedded', 255, 256],
  ['postgres', 63, 64],
] as const)(
  'checkOpenFiles with the database %s refuses a limit of %i open files, and accepts %i',
  (database, tooFew, enough) => {
    const message = `ulimit -n: this process may open only ${tooFew} files and connections, and the service needs at least ${enough}. Raise the limit, for example with ulimit -n 65536`;
    expect(() => checkOpenFiles(database, tooFew)).toThrow(new StartupError(message));
    expect(() => checkOpenFiles(database, enough)).not.toThrow();
    expect(() => checkOpenFiles(database)).not.toThrow();
  },
);
