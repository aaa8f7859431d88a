import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

// This module generates the client reference in /docs. It contains all public declarations of the
// built client, with their doc comments.

const guides = join(import.meta.dirname, '../content/guides');
/** The folder of the built client. No other file of this package depends on the client. */
const build = new URL('.', import.meta.resolve('@animal-store/client'));

/**
 * The generated pages, each with its headings and the declarations below each heading. There are
 * two pages, because a single page would be larger than the limit of 14 kB.
 */
const pages: Readonly<Record<string, { head: string; parts: Readonly<Record<string, string>> }>> = {
  client: {
    head: `# Client: options and methods

This page describes every option, method and result of \`@animal-store/client\`. It is generated from the comments of the source code.

[Another page](/docs/guides/client-errors) describes errors, hooks and tests. The guide to the [TypeScript client](/docs/guides/typescript) explains how to install it.`,
    parts: {
      'Options of the client': 'createClient ClientOptions ApiKey HeaderFields FetchOptions',
      'Options of a call': 'CallOptions CreatePetOptions',
      Methods: 'AnimalStoreClient ListPetsQuery RequestDescription',
      'Results of calls': 'Call Result Page PetList ToArrayOptions RateLimitState',
      Animals: 'Pet NewPet PetStatus petStatuses isPetStatus Int64 parseJson stringifyJson',
      'The quota of the key': 'RateLimitStatus QuotaWindow',
      'The version': 'version',
    },
  },
  'client-errors': {
    head: `# Client: errors, hooks, tests

This page describes every error class and event of \`@animal-store/client\`, and the service in memory for your tests. It is generated from the comments of the source code.

[Another page](/docs/guides/client) describes options and methods.`,
    parts: {
      Errors: `AnimalStoreError ApiError AuthenticationError BadRequestError ConflictError ConnectionError
        InsufficientScopeError KeySuspendedError NotFoundError RateLimitError ServerError TimeoutError
        UnprocessableError AbortError isAnimalStoreError isApiError AnyAnimalStoreError ApiErrorByStatus
        ErrorCode CallDetails ApiErrorDetails`,
      'Hooks and logs': `Hook Logger CallEvent RequestEvent ResponseEvent WaitEvent RetryEvent ErrorEvent
        DeprecationEvent OperationName`,
      'The fetch function': 'FetchFunction FetchInit HttpResponse HttpHeaders',
      'Tests, from @animal-store/client/testing':
        'createTestService TestServiceOptions TestService TestRequest TestFailure',
    },
  },
};

/** The address of each declaration's heading. */
const addresses: ReadonlyMap<string, string> = new Map(
  Object.entries(pages).flatMap(([page, { parts }]) =>
    Object.values(parts)
      .flatMap((names) => names.split(/\s+/))
      .map((name) => [name, `/docs/guides/${page}#${name}`]),
  ),
);

/**
 * The declarations whose members have their own headings, because the search finds only headings.
 * The value is the prefix for the anchors of the members.
 */
const prefixes: Readonly<Record<string, string>> = {
  ClientOptions: 'client',
  CallOptions: 'call',
  CreatePetOptions: 'createPet',
  AnimalStoreClient: 'store',
};

/**
 * Generates the pages from the declarations of the built client.
 *
 * @returns the text of each page, by its file.
 */
export async function clientReference(): Promise<Record<string, string>> {
  const read = (entry: string) => readFile(new URL(`${entry}.d.ts`, build), 'utf8');
  const entries = [await read('testing'), await read('index')];
  const descriptions = new Map(entries.flatMap(describeAll));
  const exported = entries.flatMap(exportedNames);
  const missing = exported.filter((name) => !addresses.has(name));
  if (missing.length > 0)
    throw new TypeError(
      `No page describes ${missing.join(', ')}. Add the names to \`pages\` in apps/docs/generate/client-reference.ts.`,
    );

  return Object.fromEntries(
    Object.entries(pages).map(([page, { head, parts }]) => {
      const described = Object.entries(parts).flatMap(([part, names]) => [
        `## ${part}`,
        ...names.split(/\s+/).map((name) => {
          const description = descriptions.get(name);
          if (description === undefined)
            throw new TypeError(
              `The client does not export ${name}. Remove it from \`pages\` in apps/docs/generate/client-reference.ts.`,
            );
          return description;
        }),
      ]);
      return [join(guides, `${page}.md`), `${[head, ...described].join('\n\n')}\n`];
    }),
  );
}

/**
 * Returns the names that a declaration file exports, both in separate `export` declarations and in
 * a list at the end of the file.
 */
function exportedNames(declarations: string): string[] {
  const single = declarations.matchAll(/^export declare (?:abstract )?\w+ (\w+)/gm);
  const lists = declarations.matchAll(/^export (?:type )?\{([^}]*)\}/gm);
  return [
    ...Array.from(single, ([, name = '']) => name),
    ...Array.from(
      lists,
      ([, list = '']) => list.replaceAll('type ', '').match(/\w+/g) ?? [],
    ).flat(),
  ];
}

const commentPattern = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n`;
const declarationPattern = new RegExp(
  String.raw`^(?:${commentPattern})?(?:export )?(?:declare )?(?:abstract )?(class|const|function|interface|type) (\w+)([\s\S]*?)(?=\n(?:\/\*\*|declare |interface |type |export ))`,
  'gm',
);
const memberPattern = new RegExp(
  String.raw`${commentPattern} {2}(?:readonly )?(\w+)([\s\S]*?);\n(?! {3})(?! {2}\})`,
  'g',
);

/**
 * Returns the description of each declaration. Overloads of a function share the description of the
 * first one.
 */
function describeAll(text: string): [string, string][] {
  return Array.from(text.matchAll(declarationPattern), (match): [string, string] => {
    const [, comment, kind = '', name = '', rest = ''] = match;
    return [name, describe(kind, name, rest, parseComment(comment))];
  }).toReversed();
}

function parseComment(comment = '') {
  const lines = comment.replaceAll(/^ *\* ?/gm, '').trim();
  const [text = '', ...tags] = lines.split(
    /(?:^|\s)@(?=default|throws|deprecated|example|typeParam)/,
  );
  const tag = (name: string) =>
    tags
      .find((it) => it.startsWith(name))
      ?.slice(name.length)
      .trim();
  const byDefault = tag('default') && inline(tag('default'));
  return {
    text: inline(text),
    // If the default is a value, it is formatted as code. If words describe the default, it is not
    // formatted as code.
    byDefault: byDefault?.replace(/^(?:'\w+'|[\d_]+|Infinity|globalThis\.\w+)$/, '`$&`'),
    throws: inline(tag('throws')).replace(/^\{(\w+)\}/, 'It throws a `$1`'),
    deprecated: inline(tag('deprecated')).replace(/^(?=.)/, '**Deprecated.** '),
    // In examples, the address is replaced by the address of the service that serves the page.
    example: tag('example')
      ?.replace(/^```ts$/m, '```typescript')
      .replaceAll('http://127.0.0.1:3000/v1', '{{baseUrl}}'),
  };
}

/** Formats a description as one line, with links to other declarations. */
function inline(text = ''): string {
  const link = (_: string, name: string) => `[\`${name}\`](${addresses.get(name)})`;
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\{@link (\w+)[.\w]*\}/g, link);
}

/**
 * Simplifies a type for readers. The result uses the public names of the platform's types. It
 * contains no `undefined` if the member is optional, because optional already includes `undefined`.
 */
function plainType(type: string): string {
  return type
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' | (string & {})', ' | string')
    .replaceAll(/\bSignal\b/g, 'AbortSignal')
    .replaceAll(/\bHeaderList\b/g, 'Headers')
    .replaceAll(/\bAddress\b/g, 'URL')
    .replace(/^(\?: .*) \| undefined$/, '$1');
}

type Comment = ReturnType<typeof parseComment>;
type Member = { readonly name: string; readonly type: string; readonly comment: Comment };

function describe(kind: string, name: string, rest: string, comment: Comment): string {
  const hasMembers = kind === 'class' || kind === 'interface';
  const body = hasMembers ? rest.slice(rest.indexOf('{')) : '';
  const members = Array.from(body.matchAll(memberPattern), ([, text, name = '', type = '']) => ({
    name,
    type: plainType(type),
    comment: parseComment(text),
  }));
  const base = hasMembers ? /^[^{]* extends (\w+)/.exec(rest)?.[1] : undefined;
  // Some members of an error class have only one possible value, such as `status: 429`. A sentence
  // states these values, so the table of members leaves them out.
  const isFixed = ({ name, type }: Member) =>
    kind === 'class' && (name === 'name' || /^: (?:\d+|'\w+')$/.test(type));
  const fixed = members.filter((member) => isFixed(member) && member.name !== 'name');
  const facts = fixed.map(({ name, type }) => `; its \`${name}\` is \`${type.slice(2)}\``);
  const prefix = prefixes[name];
  return paragraphs(
    `### ${name} {#${name}}`,
    comment.text,
    base && `It extends ${linkTo(base)}${facts.join('')}.`,
    // A type such as `keyof typeof errorCodes` has no code block, because the block would not show
    // the possible values.
    !hasMembers && !rest.includes('keyof typeof') && codeBlock(plainType(`${kind} ${name}${rest}`)),
    comment.throws,
    // Error classes have no separate table of members and no separate example, because they differ
    // only in a few fixed values.
    (base === undefined || !name.endsWith('Error')) && comment.example,
    ...(prefix === undefined
      ? [tableOf(members.filter((member) => !isFixed(member)))]
      : members.map((member) => describeMember(member, prefix))),
  );
}

function describeMember({ name, type, comment }: Member, prefix: string): string {
  const byDefault = comment.byDefault ? `, default: ${comment.byDefault}` : '';
  return paragraphs(
    `#### ${name} {#${prefix}.${name}}`,
    /^[(<]/.test(type)
      ? codeBlock(`${prefix}.${name}${type}`)
      : linkTo(type.replace(/^\??: /, '')) + byDefault,
    comment.text,
    comment.throws,
    comment.deprecated,
    comment.example,
  );
}

function tableOf(members: readonly Member[]): string {
  const rows = members.map(({ name, type, comment: { text, byDefault } }) => {
    const [mark = '', its] = type.startsWith('(')
      ? ['()', type.replace(/\): (?=[^)]+$)/, ') => ')]
      : [/^\?/.exec(type)?.[0], type.replace(/^\??: /, '')];
    const more = byDefault ? ` Default: ${byDefault}.` : '';
    return `| \`${name}${mark}\` | \`${its?.replaceAll('|', '\\|')}\` | ${text}${more} |`;
  });
  if (rows.length === 0) return '';
  return ['| Member | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Formats a type as a link to the last declaration that it contains. */
function linkTo(type: string): string {
  const named = type.match(/\w+/g)?.findLast((name) => addresses.has(name));
  return named === undefined ? `\`${type}\`` : `[\`${type}\`](${addresses.get(named)})`;
}

const paragraphs = (...texts: unknown[]) => texts.filter(Boolean).join('\n\n');
/**
 * Formats a declaration as a code block. Its language is `typescript` and not `ts`, because the
 * tests of the guides run all `ts` blocks.
 */
const codeBlock = (text: string) => `\`\`\`typescript\n${text}\n\`\`\``;
