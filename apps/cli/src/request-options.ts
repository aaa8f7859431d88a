import type { AppRoute } from '@ts-rest/core';
import { Argument, type Command, Option } from 'commander';
import { z } from 'zod';
import {
  durationsAndTimes,
  readDays,
  readInstant,
  readInteger,
  readLimit,
  readSeconds,
} from './option-values.ts';

/**
 * The properties of one part of a request, by name. The type declares `limit`, `account` and
 * `scopes`, because the CLI treats these three properties differently from the others.
 */
interface Members {
  [name: string]: unknown;
  limit?: unknown;
  account?: unknown;
  scopes?: unknown;
}

/** A request to the admin API: the parameters of its path, its query and its body. */
export type AdminRequest = Record<'params' | 'query' | 'body', Members>;

/**
 * Describes where the options of a command differ from the properties of the operation's request.
 */
export interface RequestForm {
  /**
   * The properties that are options of this command. By default, all properties are options. The
   * parameters of the path and `reason` are always included.
   */
  readonly only?: readonly string[] | undefined;
  /**
   * A property that the user gives as an argument without a name, like the parameters of the path.
   */
  readonly argument?: string | undefined;
  /** Returns default values for properties of the request. */
  readonly preset?: (() => Partial<AdminRequest>) | undefined;
}

/** The subset of JSON Schema that the contract uses. */
interface JsonSchema {
  readonly $ref?: string;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly not?: unknown;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

/** A property of a request. `forms` has several schemas if the property accepts several types. */
interface Member {
  readonly part: keyof AdminRequest;
  readonly path: readonly string[];
  readonly forms: readonly JsonSchema[];
}

/**
 * The query parameters for which commands have no option, because the CLI reads all pages of a list
 * itself and shows no history.
 */
const excludedMembers = ['cursor', 'include', 'count'];

/** The word that stands for `null` on the command line. */
const none = 'none';

/** The option `--read-only`, which is a short form for the scopes of a read-only key. */
const readOnly = new Option(
  '--read-only',
  'Create a read-only key, for example for a web page.',
).conflicts('scopes');

export const isPaged = ({ query }: AppRoute): boolean =>
  query instanceof z.ZodObject && 'cursor' in query.shape;

/**
 * Adds arguments and options to a command, one for each property of the operation's path, query and
 * body.
 *
 * @returns two functions. `read` reads the request from the command line. If a value is invalid, it
 *   prints the contract's error and throws a CommanderError. `inOptions` replaces the names of
 *   properties in a message of the service by the names of the command's arguments and options.
 */
export function addRequestOptions(
  command: Command,
  route: AppRoute,
  { only, argument, preset }: RequestForm,
) {
  const schemas = {
    params: route.pathParams,
    query: route.query,
    body: 'body' in route ? route.body : undefined,
  };
  const parts = ['params', 'body', 'query'] as const;
  const members = parts
    .flatMap((part) => membersOf(part, schemas[part]))
    .filter(({ part, path: [name = ''] }) => {
      if (part !== 'params' && only !== undefined && ![...only, 'reason'].includes(name))
        return false;
      return !excludedMembers.includes(name);
    });
  const isArgument = ({ part, path: [name] }: Member) => part === 'params' || name === argument;
  const args = members.filter(isArgument);
  const options = members.filter((member) => !isArgument(member));
  for (const member of args) command.addArgument(toArgument(member));
  for (const member of options) {
    command.addOption(toOption(member));
    if (isNullable(member))
      command.addOption(new Option(`--no-${nameOf(member)}`, `Remove the ${nameOf(member)}.`));
    if (member.path[0] === 'scopes') command.addOption(readOnly);
  }

  function namesOf(property: string): string[] {
    const isNamed = ({ path }: Member) => path[0] === property;
    return [
      ...args.filter(isNamed).map((member) => toArgument(member).name()),
      ...options.filter(isNamed).map((member) => `--${nameOf(member)}`),
    ];
  }
  function inOptions(message: string): string {
    const inText = (property: string) => namesOf(property).join(' and ') || property;
    return message
      .replaceAll(/(?<=^|; )\w+(?=: )/g, inText)
      .replaceAll(/(?<=\bno )"(\w+)"/g, (_, property) => inText(property))
      .replace(/(?<=^expected one or more of ).*/, (list) =>
        list.split(', ').flatMap(namesOf).join(', '),
      );
  }
  function read(): AdminRequest {
    const request: AdminRequest = { params: {}, query: {}, body: {} };
    const set = ({ part, path }: Member, value: unknown) => {
      const [name = '', inner] = path;
      const holder = request[part];
      if (inner === undefined) holder[name] = value;
      else holder[name] = { ...(holder[name] as object | undefined), [inner]: value };
    };
    args.forEach((member, index) => {
      const value: unknown = command.processedArgs[index];
      set(member, value === none && isNullable(member) ? null : value);
    });
    const optionValues = command.opts<{ [name: string]: unknown; readOnly?: true }>();
    for (const member of options) {
      const value = optionValues[toOption(member).attributeName()];
      if (value !== undefined) set(member, value === false ? null : value);
    }
    if (optionValues.readOnly) request.body.scopes = ['pets:read'];
    for (const part of parts) {
      request[part] = { ...preset?.()[part], ...request[part] };
      const schema = schemas[part];
      // The value of `limit` is not checked against the contract here. The CLI limits the entries
      // of all pages together, and the contract limits the entries of one page.
      const { limit, ...members } = request[part];
      const checked = isPaged(route) ? members : request[part];
      const { error } = schema instanceof z.ZodType ? schema.safeParse(checked) : {};
      if (error !== undefined) command.error(`error: ${inOptions(explain(error, args, options))}`);
    }
    return request;
  }
  return { read, inOptions };
}

/**
 * Returns the properties of one part of a request, including properties of nested objects. For a
 * union, the function returns the properties of all variants.
 */
function membersOf(part: Member['part'], schema: unknown): Member[] {
  if (!(schema instanceof z.ZodType)) return [];
  const { $defs = {}, ...root } = z.toJSONSchema(schema, { io: 'input' }) as JsonSchema & {
    readonly $defs?: Readonly<Record<string, JsonSchema>>;
  };
  function formsOf({ $ref = '', ...own }: JsonSchema): JsonSchema[] {
    const { oneOf, anyOf, ...form }: JsonSchema = {
      ...$defs[$ref.replace('#/$defs/', '')],
      ...own,
    };
    if (form.not !== undefined) return [];
    if (form.type === 'array') return [{ ...form, enum: formsOf(form.items ?? {})[0]?.enum ?? [] }];
    const union = form.type === undefined ? (oneOf ?? anyOf) : undefined;
    return union?.flatMap(formsOf).map((variant) => ({ ...variant, ...form })) ?? [form];
  }
  function* collect(path: readonly string[], holders: readonly JsonSchema[]): Iterable<Member> {
    const names = new Set(holders.flatMap(({ properties = {} }) => Object.keys(properties)));
    for (const name of names) {
      const forms = holders.flatMap(({ properties }) => formsOf(properties?.[name] ?? { not: {} }));
      if (forms.some(({ properties }) => properties)) yield* collect([...path, name], forms);
      else yield { part, path: [...path, name], forms };
    }
  }
  return [...collect([], formsOf(root))];
}

const isNullable = ({ forms }: Member) => forms.some(({ type }) => type === 'null');

/**
 * Returns the allowed values of a property of the request. Returns an empty array if the schema
 * does not list them, as for a number.
 */
function choicesOf({ forms }: Member): string[] {
  const choices = forms
    .filter(({ type }) => type !== 'null')
    .map((form) => form.enum ?? (form.const === undefined ? [] : [form.const]));
  return choices.some(({ length }) => length === 0) ? [] : [...new Set(choices.flat())];
}

/**
 * Returns the option name of a property. Units are written in the value and not in the name, as in
 * `--grace 24h`.
 */
function nameOf({ path }: Member): string {
  const name = path.at(-1) ?? '';
  if (name === 'from') return 'since';
  if (name === 'to') return 'until';
  return name
    .replace(/(At|Seconds|Days|Id)$/, '')
    .replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

const describe = ({ forms: [form] }: Member) =>
  (form?.description ?? '').replace(/; `null` [^.;]*/, '').replaceAll('`', '');

function toArgument(member: Member): Argument {
  const name = member.path[0]?.endsWith('Id') ? 'id' : nameOf(member);
  const argument = new Argument(`<${name}>`, describe(member));
  const choices = choicesOf(member);
  if (isNullable(member)) choices.push(none);
  return choices.length === 0 ? argument : argument.choices(choices);
}

function toOption(member: Member): Option {
  const { part, path, forms } = member;
  const flag = `--${nameOf(member)}`;
  const choices = choicesOf(member);
  if (choices.join() === 'true') {
    return new Option(flag, describe(member)).argParser(() => 'true');
  }
  const [form = {}] = forms;
  const name = path.at(-1) ?? '';
  const option = (value: string, read?: (text: string) => unknown, hint = '') => {
    const made = new Option(`${flag} <${value}>`, `${describe(member)}${hint && ` (${hint})`}`);
    if (choices.length > 0) made.choices(choices);
    return read === undefined ? made : made.argParser(read);
  };
  if (form.format === 'date-time') {
    // A duration means a time in the past if it is in a query, and a time in the future if it is in
    // a body.
    const direction = part === 'body' ? 1 : -1;
    return option('when', (text) => readInstant(text, direction), durationsAndTimes);
  }
  if (name.endsWith('Seconds')) return option('duration', readSeconds, '90d, 24h, … or 0');
  if (name.endsWith('Days')) return option('days', readDays, '90d');
  if (name === 'limit') return option('n', readLimit);
  if (form.type === 'integer') return option('n', readInteger);
  if (form.type === 'array')
    return option('list', (text) => text.split(','), 'separated by commas');
  if (choices.length > 0) return option(nameOf(member));
  const [example] = form.examples ?? [];
  return option(
    name.endsWith('Id') ? 'id' : 'text',
    undefined,
    example === undefined ? '' : `such as ${example}`,
  );
}

/**
 * Formats the error of the contract for a user of the CLI, with the names of the arguments or
 * options that caused the error.
 */
function explain(
  { issues: [issue] }: z.ZodError,
  args: readonly Member[],
  options: readonly Member[],
): string {
  const { path = [], message = '' } = issue ?? {};
  if (path.length === 0) return message;
  const isAtFault = (member: Member) =>
    path.every((name, index) => index >= member.path.length || member.path[index] === name);
  const names = [
    ...args.filter(isAtFault).map((member) => toArgument(member).name()),
    ...options.filter(isAtFault).map((member) => `--${nameOf(member)}`),
  ].join(' and ');
  // The property is the quota of the plan Enterprise, an object whose two properties have separate
  // options. So the message does not mention an object, and asks for both options.
  const isObject = issue?.code === 'invalid_type' && issue.expected === 'object';
  return `${names}: ${isObject ? 'expected both, because this plan has no fixed limits' : message}`;
}
