import { Command } from 'commander';
import {
  type AdminClient,
  createAdminClient,
  expectSuccess,
  type SuccessBody,
} from './admin-client.ts';
import { findServer } from './find-server.ts';
import { type CommonOptions, commonOptions } from './options.ts';

/** Where a command writes: results to one stream, messages to the other. */
export interface CliOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** How wide the terminal is. Files and pipes get the usual width. */
  readonly columns?: number | undefined;
}

const connection = `
Without further settings it talks to the embedded server on DATA_DIR, through a Unix socket that only
your user can open. For any other server set OPS_URL and ADMIN_TOKEN (an operator's token will do).
Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

/** Creates what all groups of commands share: help, connection and output. */
export function createProgram(
  name: string,
  {
    description,
    examples,
    output: { out, err },
  }: { description: string; examples: string; output: CliOutput },
) {
  const program = new Command(`npm run ${name} --`)
    .description(description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('Add --help for what it takes.')
    .addHelpText('after', `\nExamples:${examples}${connection}`);

  return {
    program,

    /** Calls an operation, and prints the body of its answer. */
    async call<Answer extends { status: number; body: unknown }>(
      options: CommonOptions,
      operation: (client: AdminClient) => Promise<Answer>,
      show: (body: SuccessBody<Answer>) => string,
    ): Promise<void> {
      const client = createAdminClient(findServer(options));
      const { body } = await expectSuccess(operation(client));
      out(options.json ? `${JSON.stringify(body, null, 2)}\n` : show(body));
    },

    /** Adds the options that every command has. */
    finish(): Command {
      const commands = program.commands.length === 0 ? [program] : program.commands;
      for (const command of commands) {
        for (const option of commonOptions()) command.addOption(option);
      }
      return program;
    },
  };
}
