import { type PlanName, planNames } from '@animal-store/contract';
import type { KeyFilter, ListedKey, NewKey, UsageBucket } from '@animal-store/contract/admin';
import { keySorts, keyStates } from '@animal-store/contract/admin';
import { Argument, type Command, Option } from 'commander';
import { type AdminClient, expectSuccess } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import { listAll } from './list-all.ts';
import {
  type CommonOptions,
  countOption,
  daysOption,
  expiresOption,
  graceOption,
  idArgument,
  type LimitOptions,
  perDayOption,
  perMinuteOption,
  planOption,
  type ReasonOptions,
  readOnlyOption,
  readQuota,
  readScopes,
  reasonOf,
  reasonOption,
  type ScopeOptions,
  scopesOption,
  sinceOption,
} from './options.ts';
import { showIssuedKey, showKey, showKeys } from './show-keys.ts';
import { showKeyUsage } from './show-usage.ts';
import { warnOfAlikeAccounts } from './warn-of-alike-accounts.ts';

const examples = `
  npm run keys -- create --name acme --plan pro --expires 90d
  npm run keys -- create --name "catalogue page" --plan free --read-only
  npm run keys -- create --account C-17 --read-only
  npm run keys -- create --plan enterprise --per-minute 5000 --per-day 1000000
  npm run keys -- list --state active --account C-17
  npm run keys -- list --unused-for 90d
  npm run keys -- update <id> --name acme-2 --no-expires --reason "Contract 2026-118"
  npm run keys -- usage <id> --since 7d
  npm run keys -- rotate <id> --grace 24h
  npm run keys -- suspend <id> --reason "Invoice 4711 is open"
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
  const { program, call, finish } = createProgram('keys', {
    description: 'Create, change, suspend and revoke the API keys of a running Animal Store.',
    examples,
    output,
  });

  /** Does a change that takes nothing but the reason. */
  const change =
    (name: 'suspendKey' | 'resumeKey' | 'revokeKey' | 'unbanKey') =>
    (id: string, options: ReasonOptions) =>
      call(options, (client) => client[name](changeOf(id, options)), showKey);

  program
    .command('create')
    .summary('create a key')
    .description(
      'Creates a key and shows its token once. It may read and write. A key that browsers see must only read: --read-only.',
    )
    .addOption(planOption('its plan; may be left out if its account has one'))
    .option('--name <name>', 'who or what it is for')
    .option('--account <ref>', 'your own reference, such as a customer number')
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(readOnlyOption())
    .addOption(scopesOption())
    .addOption(expiresOption())
    .addOption(reasonOption())
    .action((options: CreateOptions, command: Command) => {
      const body = readNewKey(options, command);
      const query = reasonOf(options);
      return call(
        options,
        async (client) => {
          await warnOfAlikeAccounts(client, body.account, output);
          return client.createKey({ body, query });
        },
        showIssuedKey,
      );
    });

  program
    .command('list')
    .summary('list keys')
    .description('Lists the keys that match every option, by default the newest first.')
    .addOption(planOption('only keys of this plan'))
    .addOption(
      new Option(
        '--state <state>',
        'only keys in this state; suspended: also by their account',
      ).choices(keyStates),
    )
    .option('--name <start>', 'only keys whose name begins so')
    .option('--account <ref>', 'only keys of this account')
    .option('--search <text>', 'only keys whose name or account contains it, or whose id begins so')
    .option('--banned', 'only keys that are banned now')
    .option('--token-prefix <start>', 'only keys with a token that begins so, as ast_0000')
    .addOption(
      daysOption(
        '--deprecated-within <days>',
        'only keys that called a deprecated operation, in 30d',
      ),
    )
    .addOption(daysOption('--unused-for <days>', 'only keys without a request for so long, as 90d'))
    .addOption(new Option('--sort <order>', 'the order of the keys').choices(keySorts))
    .addOption(countOption())
    .action((options: ListOptions) =>
      call(options, (client) => listKeys(client, options), showKeys),
    );

  program
    .command('show')
    .summary('show a key and its usage')
    .description('Shows a key, its usage of both windows, its strikes and its ban.')
    .addArgument(idArgument('key'))
    .action((id: string, options: CommonOptions) =>
      call(options, (client) => client.getKey({ params: { keyId: id } }), showKey),
    );

  program
    .command('usage')
    .summary('show what a key has used')
    .description(
      'Draws how many requests a key has made: by minute up to an hour, by hour up to two days, else by day.',
    )
    .addArgument(idArgument('key'))
    .addOption(sinceOption('since so long ago, a day by default'))
    .action((id: string, options: CommonOptions & { readonly since?: string }) => {
      const { since: from = new Date(Date.now() - dayMs).toISOString() } = options;
      const query = { from, bucket: bucketFor(Date.now() - Date.parse(from)) };
      return call(
        options,
        (client) => client.getKeyUsage({ params: { keyId: id }, query }),
        (ledger) => showKeyUsage(ledger, output.columns ?? usualColumns),
      );
    });

  program
    .command('set-plan')
    .summary("change a key's plan or numbers")
    .description('Changes a plan from the next request on. The counts are kept.')
    .addArgument(idArgument('key'))
    .addArgument(new Argument('<plan>', 'the new plan').choices(planNames))
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .addOption(reasonOption())
    .action((id: string, plan: PlanName, options: SetPlanOptions, command: Command) => {
      const quota = readQuota(command, plan, options);
      const request = { ...changeOf(id, options), body: { plan, quota } };
      return call(options, (client) => client.changeKey(request), showKey);
    });

  program
    .command('update')
    .summary("change a key's name, account, scopes or expiry")
    .description('Changes the name, account, scopes and expiry of a key, from the next request on.')
    .addArgument(idArgument('key'))
    .option('--name <name>', 'who or what it is for')
    .option('--no-name', 'remove the name')
    .option('--account <ref>', 'your own reference, such as a customer number')
    .option('--no-account', 'remove the account')
    .addOption(readOnlyOption())
    .addOption(scopesOption())
    .addOption(expiresOption())
    .option('--no-expires', 'let it never expire')
    .addOption(reasonOption())
    .action((id: string, options: UpdateOptions, command: Command) => {
      const { name, account, expires } = options;
      const scopes = readScopes(options);
      if ([name, account, expires, scopes].every((option) => option === undefined)) {
        command.error(
          'error: expected one or more of --name, --account, --expires, or their --no-…, --read-only, --scopes',
        );
      }
      const body = {
        scopes,
        name: name === false ? null : name,
        account: account === false ? null : account,
        expiresAt: expires === false ? null : expires,
      };
      const request = { ...changeOf(id, options), body };
      return call(
        options,
        async (client) => {
          await warnOfAlikeAccounts(client, body.account, output);
          return client.changeKey(request);
        },
        showKey,
      );
    });

  program
    .command('rotate')
    .summary("replace a key's token")
    .description(
      'Creates a new token and shows it once. Earlier tokens stay valid for a grace period.',
    )
    .addArgument(idArgument('key'))
    .addOption(graceOption())
    .addOption(reasonOption())
    .action((id: string, options: { grace: number } & ReasonOptions) => {
      const request = { ...changeOf(id, options), body: { graceSeconds: options.grace } };
      return call(options, (client) => client.rotateKey(request), showIssuedKey);
    });

  program
    .command('suspend')
    .summary('suspend a key until it is resumed')
    .description(
      'Suspends a key until it is resumed. Its callers get 403, and are told to ask you. Nothing it has used is lost.',
    )
    .addArgument(idArgument('key'))
    .addOption(reasonOption())
    .action(change('suspendKey'));

  program
    .command('resume')
    .summary('resume a suspended key')
    .description('Ends the suspension of a key.')
    .addArgument(idArgument('key'))
    .addOption(reasonOption())
    .action(change('resumeKey'));

  program
    .command('revoke')
    .summary('revoke a key for good')
    .description('Revokes a key for good. To be able to undo it, suspend the key instead.')
    .addArgument(idArgument('key'))
    .addOption(reasonOption())
    .action(change('revokeKey'));

  program
    .command('unban')
    .summary("end a key's ban")
    .description("Ends a key's ban and deletes its strikes. The counts are kept.")
    .addArgument(idArgument('key'))
    .addOption(reasonOption())
    .action(change('unbanKey'));

  return finish();
}

/** What every request that changes a key has. */
const changeOf = (id: string, options: ReasonOptions) => ({
  params: { keyId: id },
  query: reasonOf(options),
});

type CreateOptions = ReasonOptions &
  LimitOptions &
  ScopeOptions & {
    readonly plan?: PlanName;
    readonly name?: string;
    readonly account?: string;
    readonly expires?: string;
  };

function readNewKey(options: CreateOptions, command: Command): NewKey {
  const { plan, name, account, expires } = options;
  const quota = readQuota(command, plan, options);
  const key = { name, account, expiresAt: expires, scopes: readScopes(options) };
  if (plan === undefined && account === undefined) {
    return command.error('error: expected --plan, or --account with one that has a plan');
  }
  if (plan !== 'enterprise') return { ...key, plan };
  if (quota !== undefined) return { ...key, plan, quota };
  return command.error('error: the Enterprise plan takes --per-minute and --per-day');
}

type UpdateOptions = ReasonOptions &
  ScopeOptions & {
    /** `false` to remove it, as are the others. */
    readonly name?: string | false;
    readonly account?: string | false;
    readonly expires?: string | false;
  };

type SetPlanOptions = LimitOptions & ReasonOptions;

type ListOptions = CommonOptions &
  Omit<KeyFilter, 'banned' | 'deprecatedWithinDays' | 'unusedForDays'> & {
    readonly banned?: true;
    readonly deprecatedWithin?: string;
    readonly unusedFor?: string;
    readonly limit?: number;
  };

/** All keys that match, page by page. */
function listKeys(client: AdminClient, options: ListOptions) {
  const { plan, state, name, account, tokenPrefix, search, deprecatedWithin, unusedFor, sort } =
    options;
  const filter = {
    plan,
    state,
    name,
    account,
    tokenPrefix,
    search,
    banned: options.banned && ('true' as const),
    deprecatedWithinDays: deprecatedWithin,
    unusedForDays: unusedFor,
    sort,
  };
  return listAll<ListedKey>(
    (page) => expectSuccess(client.listKeys({ query: { ...filter, ...page } })),
    options.limit,
  );
}
