import { findLink, type PlanName } from '@animal-store/contract';
import type { IssuedKey, Key, KeyState, NewKey } from '@animal-store/contract/admin';
import { keyStates } from '@animal-store/contract/admin';
import { type Command, Option } from 'commander';
import { type AdminClient, expectStatus } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import {
  type CommonOptions,
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

/** Keys that one call of the list gives at most. */
const pageSize = 100;

const examples = `
  npm run keys -- create --name acme --plan pro --expires 90d
  npm run keys -- create --plan enterprise --per-minute 5000 --per-day 1000000
  npm run keys -- list --state active
  npm run keys -- rotate <id> --grace 24h
  npm run --silent keys -- list --json | jq
`;

/** Creates the commands of \`npm run keys -- <command>\`. */
export function createKeysProgram(output: CliOutput): Command {
  const { program, connect, print, finish } = createProgram('keys', {
    description: 'Create, change and revoke the API keys of a running Animal Store.',
    examples,
    output,
  });

  program
    .command('create')
    .summary('create a key')
    .description('Creates a key and shows its token once.')
    .addOption(planOption('its plan').makeOptionMandatory())
    .option('--name <name>', 'who or what it is for')
    .option('--account <ref>', 'your own reference, such as a customer number')
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(expiresOption())
    .action(async (options: CreateOptions, command: Command) => {
      const body = readNewKey(options, command);
      const client = connect(options);
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
      print(options, await listKeys(connect(options), options), showKeys);
    });

  program
    .command('show')
    .summary('show a key and its usage')
    .description('Shows a key, its usage of both windows, its strikes and its ban.')
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = connect(options);
      const answer = await expectStatus(client.getKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  program
    .command('set-plan')
    .summary("change a key's plan or numbers")
    .description('Changes a plan from the next request on. The counts are kept.')
    .addArgument(keyId())
    .addArgument(planArgument())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action(async (id: string, plan: PlanName, options: SetPlanOptions, command: Command) => {
      const choice = readQuota(plan, options);
      if ('fault' in choice) return command.error(`error: ${choice.fault}`);
      const client = connect(options);
      const answer = await expectStatus(
        client.changeKey({ params: { keyId: id }, body: { plan, ...choice } }),
        200,
      );
      print(options, answer.body, showKey);
    });

  program
    .command('rotate')
    .summary("replace a key's token")
    .description(
      'Creates a new token and shows it once. Earlier tokens stay valid for a grace period.',
    )
    .addArgument(keyId())
    .addOption(graceOption())
    .action(async (id: string, options: { grace: number } & CommonOptions) => {
      const client = connect(options);
      const answer = await expectStatus(
        client.rotateKey({ params: { keyId: id }, body: { graceSeconds: options.grace } }),
        200,
      );
      print(options, answer.body, showIssuedKey);
    });

  program
    .command('revoke')
    .summary('revoke a key')
    .description('Revokes a key for good.')
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = connect(options);
      const answer = await expectStatus(client.revokeKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  program
    .command('unban')
    .summary("end a key's ban")
    .description("Ends a key's ban and deletes its strikes. The counts are kept.")
    .addArgument(keyId())
    .action(async (id: string, options: CommonOptions) => {
      const client = connect(options);
      const answer = await expectStatus(client.unbanKey({ params: { keyId: id } }), 200);
      print(options, answer.body, showKey);
    });

  return finish();
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
