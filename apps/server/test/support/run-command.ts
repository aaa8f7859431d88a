import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { CliRun } from '@animal-store/cli/testing';
import { repository } from '@animal-store/testkit';

/**
 * Runs a program in the repository. Of the environment variables of this process, the program gets
 * only PATH and HOME.
 */
export function execute(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CliRun> {
  return new Promise((resolve) => {
    // biome-ignore lint/style/noProcessEnv: npm and sh are wherever this machine has them
    const { PATH, HOME } = process.env;
    // The program uses the same compile cache as the servers of the testkit, because compiling
    // modules takes most of the time of a command.
    const NODE_COMPILE_CACHE = join(repository, 'node_modules/.cache/node');
    const environment = { PATH, HOME, NODE_COMPILE_CACHE, ...env };
    execFile(command, args, { cwd: repository, env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, stdout, stderr });
    });
  });
}
