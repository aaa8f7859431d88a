import { vi } from 'vitest';
import { runCli } from '../src/run-cli.ts';

/** The exit code and the output of a finished command. */
export type CliRun = { readonly code: number; readonly stdout: string; readonly stderr: string };

const variables = ['DATA_DIR', 'OPS_URL', 'OPS_HOST', 'OPS_PORT', 'ADMIN_TOKEN'] as const;

type CliEnvironment = Readonly<Partial<Record<(typeof variables)[number], string>>>;

/**
 * Runs a command of the CLI, such as `['keys', 'list']`, in the process of the test. Starting a
 * separate process would take most of a test's time.
 */
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
