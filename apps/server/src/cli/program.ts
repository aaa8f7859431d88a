import { findLink, type PlanName } from '@animal-store/contract';
import type { IssuedKey, Key, KeyState, NewKey } from '@animal-store/contract/admin';
import { keyStates } from '@animal-store/contract/admin';
import { Command, Option } from 'commander';
import { type AdminClient, createAdminClient, expectStatus } from './admin-client.ts';
import { findServer } from './find-server.ts';
import {
  type CommonOptions,
  commonOptions,
  countOption,
  expiresOption,
  graceOption,
  keyId,
  perDayOption,
  perMinuteOption,
  planArgument,
  planOption,
  type QuotaOptions,
  readQuota,
} from './options.ts';
import { showKey, showKeys, showToken } from './show-keys.ts';

/** Where a command writes: results, and everything else. */
export interface CliOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/** Keys that one call of the list gives at most. */
const pageSize = 100;

const examples = `
Examples:
  npm run keys -- create --name acme --plan pro --expires 90d
  npm run keys -- create --plan enterprise --per-minute 5000 --per-day 1000000
  npm run keys -- list --state active
  npm run keys -- rotate <id> --grace 24h
  npm run --silent keys -- list --json | jq

Without further settings it talks to the embedded server on DATA_DIR, through a Unix socket that only
your user can open. For any other server set OPS_URL and ADMIN_TOKEN.
Exit codes: 0 done, 1 failed, 2 wrong usage.
`;

/** Makes the commands, as `npm run keys -- <command>` takes them. */
export function createProgram({ out, err }: CliOutput): Command {
  const program = new Command('npm run keys --')
    .description('Issue, change and take back the API keys of a running Animal Store.')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err })
    .showHelpAfterError('Add --help for what it takes.')
    .addHelpText('after', examples);

  const connect = async (options: CommonOptions): Promise<AdminClient> =>
    createAdminClient(findServer(options));

  const print = <Result>(
    { json }: CommonOptions,
    result: Result,
    show: (result: Result) => string,
  ): void => out(json ? `${JSON.stringify(result, null, 2)}\n` : show(result));

  program
    .command('create')
    .summary('make a key')
    .description('Makes a key and shows its token, once.')
    .addOption(planOption('its plan').makeOptionMandatory())
    .option('--name <name>', 'who or what it is for')
    .option('--account <ref>', 'a reference of yours, such as a customer number')
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(expiresOption())
    .action(async (options: CreateOptions, command: Command) => {
      const body = readNewKey(options, command);
      const client = await connect(options);
      const answer = await expectStatus(client.createKey({ body }), 201);
      print(options, answer.body, showIssuedKey);
    });

  program
    .command('list')
    .summary('list keys')
    .description('Lists keys, the newest first.')
    .addOption(planOption('only keys of this plan'))
    .addOption(new Option('--state <state>', 'only keys in this state').choices(keyStates))
    .addOption(countOption())
    .action(async (options: ListOptions) => {
      print(options, await listKeys(await connect(options), options), showKeys);
    });

  program
    .command('show')
    .summary('show a key and how it stands')
    .description('Shows a key, what it has used of both windows, its strikes and its ban.')
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = await connect(options);
      const answer = await expectStatus(client.getKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  program
    .command('set-plan')
    .summary("change a key's plan or numbers")
    .description('Changes a plan from the next request on. What was used stays counted.')
    .addArgument(keyId())
    .addArgument(planArgument())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action(async (id: string, plan: PlanName, options: SetPlanOptions, command: Command) => {
      const choice = readQuota(plan, options);
      if ('fault' in choice) return command.error(`error: ${choice.fault}`);
      const client = await connect(options);
      const answer = await expectStatus(
        client.changeKey({ params: { keyId: id }, body: { plan, ...choice } }),
        200,
      );
      print(options, answer.body, showKey);
    });

  program
    .command('rotate')
    .summary("replace a key's token")
    .description('Makes a new token and shows it, once. Those before it stay good for a while.')
    .addArgument(keyId())
    .addOption(graceOption())
    .action(async (id: string, options: { grace: number } & CommonOptions) => {
      const client = await connect(options);
      const answer = await expectStatus(
        client.rotateKey({ params: { keyId: id }, body: { graceSeconds: options.grace } }),
        200,
      );
      print(options, answer.body, showIssuedKey);
    });

  program
    .command('revoke')
    .summary('take a key back')
    .description('Takes a key back for good.')
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = await connect(options);
      const answer = await expectStatus(client.revokeKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  program
    .command('unban')
    .summary("end a key's ban")
    .description("Ends a key's ban and forgets its strikes. What was used stays counted.")
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = await connect(options);
      const answer = await expectStatus(client.unbanKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  for (const command of program.commands) {
    for (const option of commonOptions()) command.addOption(option);
  }
  return program;
}

type CreateOptions = CommonOptions &
  QuotaOptions & {
    readonly plan: PlanName;
    readonly name?: string;
    readonly account?: string;
    readonly expires?: string;
  };

function readNewKey({ plan, name, account, expires, ...quota }: CreateOptions, command: Command) {
  const choice = readQuota(plan, quota);
  if ('fault' in choice) return command.error(`error: ${choice.fault}`);
  const key = { name, account, expiresAt: expires };
  if (plan !== 'enterprise') return { ...key, plan } satisfies NewKey;
  if (choice.quota === undefined) {
    return command.error('error: the Enterprise plan takes --per-minute and --per-day');
  }
  return { ...key, plan, quota: choice.quota } satisfies NewKey;
}

type SetPlanOptions = QuotaOptions & CommonOptions;

type ListOptions = CommonOptions & {
  readonly plan?: PlanName;
  readonly state?: KeyState;
  readonly limit?: number;
};

/** All keys that match, page by page. */
async function listKeys(client: AdminClient, options: ListOptions): Promise<Key[]> {
  const { plan, state, limit = Number.POSITIVE_INFINITY } = options;
  const keys: Key[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: String(Math.min(pageSize, limit - keys.length)), plan, state, cursor };
    const page = await expectStatus(client.listKeys({ query }), 200);
    keys.push(...page.body);
    const next = findLink(page.headers.get('Link') ?? '', 'next');
    cursor = next && (new URLSearchParams(next.split('?')[1]).get('cursor') ?? undefined);
  } while (cursor !== undefined && keys.length < limit);
  return keys;
}

function showIssuedKey({ key, token }: IssuedKey): string {
  return `${showKey(key)}\n${showToken(token)}`;
}
