import type { OperatorRole } from '@animal-store/contract/admin';
import { operatorRoles } from '@animal-store/contract/admin';
import { type Command, Option } from 'commander';
import { type CliOutput, createProgram } from './create-program.ts';
import {
  type CommonOptions,
  expiresOption,
  graceOption,
  idArgument,
  type ReasonOptions,
  reasonOf,
  reasonOption,
} from './options.ts';
import { showIssuedOperator, showOperator, showOperators } from './show-operators.ts';

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
  const { program, call, finish } = createProgram('operators', {
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
    .action((options: CreateOptions) => {
      const { name, role, expires } = options;
      const request = { body: { name, role, expiresAt: expires }, query: reasonOf(options) };
      return call(options, (client) => client.createOperator(request), showIssuedOperator);
    });

  program
    .command('list')
    .summary('list operators')
    .description('Lists operators, the newest first.')
    .action((options: CommonOptions) =>
      call(options, (client) => client.listOperators(), showOperators),
    );

  program
    .command('rotate')
    .summary("replace an operator's token")
    .description(
      'Creates a new token and shows it once. Earlier tokens stay valid for a grace period.',
    )
    .addArgument(idArgument('operator'))
    .addOption(graceOption())
    .addOption(reasonOption())
    .action((id: string, options: { grace: number } & ReasonOptions) => {
      const request = { ...changeOf(id, options), body: { graceSeconds: options.grace } };
      return call(options, (client) => client.rotateOperator(request), showIssuedOperator);
    });

  program
    .command('revoke')
    .summary('revoke an operator')
    .description('Revokes an operator for good.')
    .addArgument(idArgument('operator'))
    .addOption(reasonOption())
    .action((id: string, options: ReasonOptions) =>
      call(options, (client) => client.revokeOperator(changeOf(id, options)), showOperator),
    );

  return finish();
}

/** What every request that changes an operator has. */
const changeOf = (id: string, options: ReasonOptions) => ({
  params: { operatorId: id },
  query: reasonOf(options),
});
