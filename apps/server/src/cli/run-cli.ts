import { CommanderError } from 'commander';
import { escapeUnprintable } from '../shared/escape-unprintable.ts';
import { StartupError } from '../shared/startup-error.ts';
import { createAccountsProgram } from './accounts-program.ts';
import { createAuditProgram } from './audit-program.ts';
import { CliError } from './cli-error.ts';
import type { CliOutput } from './create-program.ts';
import { createKeysProgram } from './keys-program.ts';
import { createOperatorsProgram } from './operators-program.ts';
import { createUsageProgram } from './usage-program.ts';

/** The groups of commands: `npm run keys`, and so on. */
const programs = {
  keys: createKeysProgram,
  accounts: createAccountsProgram,
  operators: createOperatorsProgram,
  audit: createAuditProgram,
  usage: createUsageProgram,
} as const;

/**
 * Runs one command and gives its exit code: 0, 1 for a failure, 2 for wrong usage.
 *
 * @param args the group and the arguments, as `['keys', 'list']`.
 */
export async function runCli(
  [group = '', ...args]: readonly string[],
  { out, err, columns }: CliOutput,
): Promise<number> {
  // Names come from others, and messages repeat them.
  const output: CliOutput = {
    out: (text) => out(escapeUnprintable(text)),
    err: (text) => err(escapeUnprintable(text)),
    columns,
  };
  if (!isGroup(group)) {
    output.err(`error: expected one of ${Object.keys(programs).join(', ')}\n`);
    return 2;
  }
  try {
    await programs[group](output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // Help that was asked for comes as an error, too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError || error instanceof StartupError)) throw error;
    output.err(`error: ${error.message}\n`);
    return 1;
  }
}

function isGroup(group: string): group is keyof typeof programs {
  return Object.hasOwn(programs, group);
}
