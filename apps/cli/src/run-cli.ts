import { adminContract, tidyAccountName } from '@animal-store/admin-contract';
import { escapeUnprintable, StartupError } from '@animal-store/runtime';
import type { AppRoute } from '@ts-rest/core';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { callAdmin, listAll } from './admin-client.ts';
import { type CommandSpec, commandGroups } from './command-table.ts';
import { CliError, findServer, type ServerAccess } from './find-server.ts';
import { type AdminRequest, addRequestOptions, isPaged } from './request-options.ts';

/** The output of a command: `out` for results, and `err` for messages. */
export interface CliOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** The width of the terminal; `undefined` if the output is a file or a pipe. */
  readonly columns?: number | undefined;
}

/** The width of the output in characters, if the output goes to a file or a pipe. */
const defaultColumns = 80;

const connection = `
By default, commands call the server that runs with the directory DATA_DIR on this machine. They
use its Unix socket, which only your user can open. To call any other server, set OPS_URL and
ADMIN_TOKEN (an operator's token works, too).
Exit codes: 0 for success, 1 for a failure, 2 for wrong usage.
`;

/**
 * Runs one command, and returns its exit code: 0 for success, 1 for a failure, 2 for wrong usage.
 *
 * @param args the group and the arguments, such as `['keys', 'list']`.
 */
export async function runCli(
  [group = '', ...args]: readonly string[],
  { out, err, columns }: CliOutput,
): Promise<number> {
  // Control characters are escaped. Names come from other people, and could otherwise send commands
  // to the terminal.
  const output: CliOutput = {
    out: (text) => out(escapeUnprintable(text)),
    err: (text) => err(escapeUnprintable(text)),
    columns,
  };
  if (['--help', '-h', 'help'].includes(group)) {
    output.out(overview());
    return 0;
  }
  if (group === '') {
    output.err(overview());
    return 2;
  }
  if (!Object.hasOwn(commandGroups, group)) {
    const groups = Object.keys(commandGroups).join(', ');
    output.err(`error: unknown group of commands '${group}', expected one of ${groups}\n`);
    return 2;
  }
  try {
    await createProgram(group, output).parseAsync(args, { from: 'user' });
    return 0;
  } catch (error) {
    // The library commander also throws an error after it has printed the help, with the exit code
    // 0. Any other error of commander means that the user has made a mistake in the command.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    if (!(error instanceof CliError || error instanceof StartupError)) throw error;
    output.err(`error: ${error.message}\n`);
    return 1;
  }
}

/** Returns the help that lists all groups of commands. */
function overview(): string {
  const width = Math.max(...Object.keys(commandGroups).map(({ length }) => length));
  const groups = Object.entries(commandGroups).map(
    ([name, { description }]) => `  ${name.padEnd(width)}  ${description}\n`,
  );
  return `Usage: npm run <group> -- [options] [command]

Groups of commands, each with its own --help:
${groups.join('')}${connection}`;
}

function createProgram(group: string, output: CliOutput): Command {
  const { description = '', examples = [], commands = {} } = commandGroups[group] ?? {};
  const program = new Command(`npm run ${group} --`)
    .description(description)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: output.out, writeErr: output.err })
    .showHelpAfterError('Add --help to see the options of the command.')
    .addHelpText(
      'after',
      `\nExamples:\n${examples.map((line) => `  npm run ${line}\n`).join('')}${connection}`,
    );
  for (const [name, spec] of Object.entries(commands)) {
    addCommand(name === '' ? program : program.command(name), spec, output);
  }
  return program;
}

/** Adds the command of an operation. Its arguments and descriptions come from the contract. */
function addCommand(command: Command, spec: CommandSpec, output: CliOutput): void {
  const route: AppRoute = adminContract[spec.operation];
  const { summary = '', description = '' } = route;
  if (command.description() === '') {
    // The help shows only the first sentence of the operation's description. The other sentences
    // concern only programs that call the API.
    const [sentence = ''] = /^.*?\.(?= |$)/.exec(description) ?? [];
    command
      .summary(spec.summary ?? summary)
      .description(spec.summary ? `${spec.summary}.` : sentence.replaceAll('`', ''));
  }
  const { read: readRequest, inOptions } = addRequestOptions(command, route, spec);
  for (const option of commonOptions()) command.addOption(option);
  command.action(async () => {
    const request = readRequest();
    const options = command.opts<{ json?: true; url?: string; tokenFile?: string }>();
    const access = findServer(options);
    await warnOfSimilarAccounts(access, spec, request, output);
    request.query = spec.complete?.(request.query) ?? request.query;
    request.query.limit ??= spec.limit;
    const answering = isPaged(route)
      ? listAll(access, spec.operation, request)
      : callAdmin(access, spec.operation, request).then(({ body }) => body);
    const body = await answering.catch((error) => {
      throw error instanceof CliError ? new CliError(inOptions(error.message)) : error;
    });
    output.out(
      options.json
        ? `${JSON.stringify(body, null, 2)}\n`
        : spec.show(body as never, output.columns ?? defaultColumns),
    );
  });
}

/**
 * Creates the options that every command has, for the address of the server and the output format.
 */
const commonOptions = (): readonly Option[] => [
  new Option('--json', 'Write JSON, for scripts.'),
  new Option('--url <origin>', 'The URL of the ops listener, instead of OPS_URL.').argParser(
    (text) => {
      if (URL.canParse(text) && new URL(text).origin === text.replace(/\/$/, '')) {
        return new URL(text).origin;
      }
      throw new InvalidArgumentError('Expected an origin, such as http://127.0.0.1:3001.');
    },
  ),
  new Option('--token-file <path>', 'A file with the admin token, instead of ADMIN_TOKEN.'),
];

/**
 * Prints a warning when a command would create an account whose name differs from an existing one
 * only in letter case.
 */
async function warnOfSimilarAccounts(
  access: ServerAccess,
  { operation }: CommandSpec,
  request: AdminRequest,
  { err }: CliOutput,
): Promise<void> {
  if (!['createKey', 'changeKey', 'setAccountPlan'].includes(operation)) return;
  const typedName = operation === 'setAccountPlan' ? request.params.account : request.body.account;
  if (typeof typedName !== 'string') return;
  const name = tidyAccountName(typedName);
  const query = { anyCaseOf: name };
  // The error of the query is ignored. If the server refuses the query, it also refuses the change
  // that follows, and reports the reason.
  const answer = await callAdmin(access, 'listAccounts', { query }).catch(() => ({ body: [] }));
  const similar = answer.body.map(({ account }) => account);
  if (similar.length === 0 || similar.includes(name)) return;
  const names = similar.map((account) => escapeUnprintable(JSON.stringify(account))).join(', ');
  err(`Warning: account names are case-sensitive. The account ${names} already exists.\n`);
}
