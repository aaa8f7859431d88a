import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { CliRun } from '@animal-store/cli/testing';
import { repository } from '@animal-store/testkit';

/** Runs a program in the repository, with nothing of this process's environment but the way to programs. */
export function execute(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<CliRun> {
  return new Promise((resolve) => {
    // biome-ignore lint/style/noProcessEnv: npm and sh are wherever this machine has them
    const { PATH, HOME } = process.env;
    // As servers of the testkit: most of a command's time is the compilation of its modules.
    const NODE_COMPILE_CACHE = join(repository, 'node_modules/.cache/node');
    const environment = { PATH, HOME, NODE_COMPILE_CACHE, ...env };
    execFile(command, args, { cwd: repository, env: environment }, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code);
      resolve({ code, stdout, stderr });
    });
  });
}
