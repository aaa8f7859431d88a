import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { repository } from '@animal-store/testkit';
import { vi } from 'vitest';
import { runCli } from '../../src/cli/run-cli.ts';

/** How a command ended, and what it wrote. */
type CliRun = { readonly code: number; readonly stdout: string; readonly stderr: string };

const variables = ['DATA_DIR', 'OPS_URL', 'OPS_HOST', 'OPS_PORT', 'ADMIN_TOKEN'] as const;

type CliEnvironment = Readonly<Partial<Record<(typeof variables)[number], string>>>;

/** Runs a command of the CLI, as `['keys', 'list']`, in this process: one of its own takes most of a test's time. */
export async function cli(args: readonly string[], env: CliEnvironment): Promise<CliRun> {
  for (const name of variables) vi.stubEnv(name, env[name]);
  const written = { out: '', err: '' };
  const write = (to: keyof typeof written) => (text: string) => {
    written[to] += text;
  };
  try {
    const code = await runCli(args, { out: write('out'), err: write('err') });
    return { code, stdout: written.out, stderr: written.err };
  } finally {
    vi.unstubAllEnvs();
  }
}

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
