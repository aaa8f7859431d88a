import type { PlanName } from '@animal-store/contract';
import type { IssuedKey, Key, KeyState, NewKey, UsageBucket } from '@animal-store/contract/admin';
import { keyStates } from '@animal-store/contract/admin';
import { type Command, Option } from 'commander';
import { type AdminClient, expectStatus } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import { listAll } from './list-all.ts';
import {
  type CommonOptions,
  countOption,
  daysOption,
  expiresOption,
  graceOption,
  keyId,
  perDayOption,
  perMinuteOption,
  planArgument,
  planOption,
  type QuotaOptions,
  type ReasonOptions,
  readQuota,
  reasonOf,
  reasonOption,
  sinceOption,
} from './options.ts';
import { showKey, showKeys, showToken } from './show-keys.ts';
import { showKeyUsage } from './show-usage.ts';

const examples = `
  npm run keys -- create --name acme --plan pro --expires 90d
  npm run keys -- create --plan enterprise --per-minute 5000 --per-day 1000000
  npm run keys -- list --state active --account C-17
  npm run keys -- list --unused-for 90d
  npm run keys -- update <id> --name acme-2 --no-expires --reason "Contract 2026-118"
  npm run keys -- usage <id> --since 7d
  npm run keys -- rotate <id> --grace 24h
  npm run --silent keys -- list --json | jq
`;

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The width of what is not a terminal. */
const usualColumns = 80;

/** A bucket of which so much time has few enough to look at. */
function bucketFor(ms: number): UsageBucket {
  if (ms <= hourMs) return 'minute';
  return ms <= 2 * dayMs ? 'hour' : 'day';
}

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
    .addOption(reasonOption())
    .action(async (options: CreateOptions, command: Command) => {
      const body = readNewKey(options, command);
      const client = connect(options);
      const answer = await expectStatus(client.createKey({ body, query: reasonOf(options) }), 201);
      print(options, answer.body, showIssuedKey);
    });

  program
    .command('list')
    .summary('list keys')
    .description('Lists the keys that match every option, by default the newest first.')
    .addOption(planOption('only keys of this plan'))
    .addOption(new Option('--state <state>', 'only keys in this state').choices(keyStates))
    .option('--name <start>', 'only keys whose name begins so')
    .option('--account <ref>', 'only keys of this account')
    .option('--token-prefix <start>', 'only keys with a token that begins so, as ast_0000')
    .addOption(
      daysOption(
        '--deprecated-within <days>',
        'only keys that called a deprecated operation, in 30d',
      ),
    )
    .addOption(daysOption('--unused-for <days>', 'only keys without a request for so long, as 90d'))
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
    .command('usage')
    .summary('show what a key has used')
    .description(
      'Draws how many requests a key has made: by minute up to an hour, by hour up to two days, else by day.',
    )
    .addArgument(keyId())
    .addOption(sinceOption('since so long ago, a day by default'))
    .action(async (id: string, options: CommonOptions & { readonly since?: string }) => {
      const { since: from = new Date(Date.now() - dayMs).toISOString() } = options;
      const query = { from, bucket: bucketFor(Date.now() - Date.parse(from)) };
      const call = connect(options).getKeyUsage({ params: { keyId: id }, query });
      print(options, (await expectStatus(call, 200)).body, (ledger) =>
        showKeyUsage(ledger, output.columns ?? usualColumns),
      );
    });

  program
    .command('set-plan')
    .summary("change a key's plan or numbers")
    .description('Changes a plan from the next request on. The counts are kept.')
    .addArgument(keyId())
    .addArgument(planArgument())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(reasonOption())
    .action(async (id: string, plan: PlanName, options: SetPlanOptions, command: Command) => {
      const choice = readQuota(plan, options);
      if ('fault' in choice) return command.error(`error: ${choice.fault}`);
      const client = connect(options);
      const answer = await expectStatus(
        client.changeKey({
          params: { keyId: id },
          query: reasonOf(options),
          body: { plan, ...choice },
        }),
        200,
      );
      print(options, answer.body, showKey);
    });

  program
    .command('update')
    .summary("change a key's name, account or expiry")
    .description('Changes the name, account and expiry of a key, from the next request on.')
    .addArgument(keyId())
    .option('--name <name>', 'who or what it is for')
    .option('--no-name', 'remove the name')
    .option('--account <ref>', 'your own reference, such as a customer number')
    .option('--no-account', 'remove the account')
    .addOption(expiresOption())
    .option('--no-expires', 'let it never expire')
    .addOption(reasonOption())
    .action(async (id: string, options: UpdateOptions, command: Command) => {
      const { name, account, expires } = options;
      if (name === undefined && account === undefined && expires === undefined) {
        command.error(
          'error: expected one or more of --name, --account, --expires, or their --no-…',
        );
      }
      const body = {
        name: name === false ? null : name,
        account: account === false ? null : account,
        expiresAt: expires === false ? null : expires,
      };
      const request = { params: { keyId: id }, query: reasonOf(options), body };
      const answer = await expectStatus(connect(options).changeKey(request), 200);
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
    .addOption(reasonOption())
    .action(async (id: string, options: { grace: number } & ReasonOptions) => {
      const client = connect(options);
      const answer = await expectStatus(
        client.rotateKey({
          params: { keyId: id },
          query: reasonOf(options),
          body: { graceSeconds: options.grace },
        }),
        200,
      );
      print(options, answer.body, showIssuedKey);
    });

  program
    .command('revoke')
    .summary('revoke a key')
    .description('Revokes a key for good.')
    .addArgument(keyId())
    .addOption(reasonOption())
    .action(async (id: string, options: ReasonOptions) => {
      const request = { params: { keyId: id }, query: reasonOf(options) };
      const answer = await expectStatus(connect(options).revokeKey(request), 200);
      print(options, answer.body, showKey);
    });

  program
    .command('unban')
    .summary("end a key's ban")
    .description("Ends a key's ban and deletes its strikes. The counts are kept.")
    .addArgument(keyId())
    .addOption(reasonOption())
    .action(async (id: string, options: ReasonOptions) => {
      const request = { params: { keyId: id }, query: reasonOf(options) };
      const answer = await expectStatus(connect(options).unbanKey(request), 200);
      print(options, answer.body, showKey);
    });

  return finish();
}

type CreateOptions = ReasonOptions &
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

type UpdateOptions = ReasonOptions & {
  /** `false` to remove it, as are the others. */
  readonly name?: string | false;
  readonly account?: string | false;
  readonly expires?: string | false;
};

type SetPlanOptions = QuotaOptions & ReasonOptions;

type ListOptions = CommonOptions & {
  readonly plan?: PlanName;
  readonly state?: KeyState;
  readonly name?: string;
  readonly account?: string;
  readonly tokenPrefix?: string;
  readonly deprecatedWithin?: string;
  readonly unusedFor?: string;
  readonly limit?: number;
};

/** All keys that match, page by page. */
function listKeys(client: AdminClient, options: ListOptions): Promise<Key[]> {
  const { plan, state, name, account, tokenPrefix, deprecatedWithin, unusedFor } = options;
  const filter = {
    plan,
    state,
    name,
    account,
    tokenPrefix,
    deprecatedWithinDays: deprecatedWithin,
    unusedForDays: unusedFor,
  };
  return listAll(
    (page) => expectStatus(client.listKeys({ query: { ...filter, ...page } }), 200),
    options.limit,
  );
}

function showIssuedKey({ key, token }: IssuedKey): string {
  return `${showKey(key)}\n${showToken(token)}`;
}
