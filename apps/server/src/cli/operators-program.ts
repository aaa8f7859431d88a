import type { IssuedOperator, OperatorRole } from '@animal-store/contract/admin';
import { operatorRoles } from '@animal-store/contract/admin';
import { type Command, Option } from 'commander';
import { expectStatus } from './admin-client.ts';
import { type CliOutput, createProgram } from './create-program.ts';
import {
  type CommonOptions,
  expiresOption,
  graceOption,
  operatorId,
  type ReasonOptions,
  reasonOf,
  reasonOption,
} from './options.ts';
import { showToken } from './show-keys.ts';
import { showOperator, showOperators } from './show-operators.ts';

const examples = `
  npm run operators -- create --name Ann --role operator --expires 90d
  npm run operators -- list
  npm run operators -- rotate <id> --grace 1h
  npm run operators -- revoke <id>
`;

type CreateOptions = ReasonOptions & {
  readonly name: string;
  readonly role: OperatorRole;
  readonly expires?: string;
};

/** Creates the commands of `npm run operators -- <command>`. */
export function createOperatorsProgram(output: CliOutput): Command {
  const { program, connect, print, finish } = createProgram('operators', {
    description: 'Manage who may use the admin API of a running Animal Store.',
    examples,
    output,
  });

  program
    .command('create')
    .summary('create an operator')
    .description('Creates an operator and shows its token once.')
    .requiredOption('--name <name>', 'whose token it is')
    .addOption(
      new Option('--role <role>', 'what the operator may do')
        .choices(operatorRoles)
        .makeOptionMandatory(),
    )
    .addOption(expiresOption())
    .addOption(reasonOption())
    .action(async (options: CreateOptions) => {
      const { name, role, expires } = options;
      const body = { name, role, expiresAt: expires };
      const answer = await expectStatus(
        connect(options).createOperator({ body, query: reasonOf(options) }),
        201,
      );
      print(options, answer.body, showIssuedOperator);
    });

  program
    .command('list')
    .summary('list operators')
    .description('Lists operators, the newest first.')
    .action(async (options: CommonOptions) => {
      const answer = await expectStatus(connect(options).listOperators(), 200);
      print(options, answer.body, showOperators);
    });

  program
    .command('rotate')
    .summary("replace an operator's token")
    .description(
      'Creates a new token and shows it once. Earlier tokens stay valid for a grace period.',
    )
    .addArgument(operatorId())
    .addOption(graceOption())
    .addOption(reasonOption())
    .action(async (id: string, options: { grace: number } & ReasonOptions) => {
      const call = connect(options).rotateOperator({
        params: { operatorId: id },
        query: reasonOf(options),
        body: { graceSeconds: options.grace },
      });
      print(options, (await expectStatus(call, 200)).body, showIssuedOperator);
    });

  program
    .command('revoke')
    .summary('revoke an operator')
    .description('Revokes an operator for good.')
    .addArgument(operatorId())
    .addOption(reasonOption())
    .action(async (id: string, options: ReasonOptions) => {
      const request = { params: { operatorId: id }, query: reasonOf(options) };
      const call = connect(options).revokeOperator(request);
      print(options, (await expectStatus(call, 200)).body, showOperator);
    });

  return finish();
}

function showIssuedOperator({ operator, token }: IssuedOperator): string {
  return `${showOperator(operator)}\n${showToken(token)}`;
}
