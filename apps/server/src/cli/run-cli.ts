import { CommanderError } from 'commander';
import { StartupError } from '../startup-error.ts';
import { CliError } from './cli-error.ts';
import { type CliOutput, createProgram } from './program.ts';

/** Runs one command and gives its exit code: 0, 1 for a failure, 2 for a command that makes no sense. */
export async function runCli(args: readonly string[], output: CliOutput): Promise<number> {
  try {
    await createProgram(output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Help that was asked for comes as an error, too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError || error instanceof StartupError)) throw error;
    output.err(`error: ${error.message}\n`);
    return 1;
  }
}
