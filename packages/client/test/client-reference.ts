import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { packageDirectory } from './consumer.ts';

// The reference of the client in /docs: all public declarations of the build, with the comments that editors show.

const guides = join(packageDirectory, '../../apps/server/assets/reference/guides');

interface ReferencePage {
  readonly title: string;
  readonly summary: string;
  /** Where the rest is. */
  readonly more: string;
  readonly parts: Readonly<Record<string, readonly string[]>>;
}

/** The committed pages, with the declarations in each part of them. Two, because a page has at most 14 kB. */
const pages: Readonly<Record<string, ReferencePage>> = {
  client: {
    title: 'Client: options and methods',
    summary:
      'Every option, method and answer of `@animal-store/client`, from the comments of its source.',
    more: 'Errors, hooks and tests are on [a page of their own](/docs/guides/client-errors). [The TypeScript client](/docs/guides/typescript) says how to install it.',
    parts: {
      'Options of the client': [
        ...['createClient', 'ClientOptions', 'ApiKey', 'HeaderFields', 'FetchOptions'],
      ],
      'Options of a call': ['CallOptions', 'CreatePetOptions'],
      Methods: ['AnimalStoreClient', 'ListPetsQuery', 'RequestDescription'],
      'What calls give': [
        ...['Call', 'Result', 'Page', 'PetList', 'ToArrayOptions', 'RateLimitState'],
      ],
      Animals: ['Pet', 'NewPet', 'PetStatus', 'Int64', 'parseJson', 'stringifyJson'],
      'The quota of the key': ['RateLimitStatus', 'QuotaWindow'],
      'The version': ['version'],
    },
  },
  'client-errors': {
    title: 'Client: errors, hooks, tests',
    summary:
      'Every error class and event of `@animal-store/client`, and the service in memory for your tests, from the comments of its source.',
    more: 'Options and methods are on [a page of their own](/docs/guides/client).',
    parts: {
      Errors: [
        ...['AnimalStoreError', 'ApiError', 'AuthenticationError', 'BadRequestError'],
        ...['ConflictError', 'ConnectionError', 'InsufficientScopeError', 'KeySuspendedError'],
        ...['NotFoundError', 'RateLimitError', 'ServerError', 'TimeoutError'],
        ...['UnprocessableError', 'AbortError', 'isAnimalStoreError', 'isApiError'],
        ...['AnyAnimalStoreError', 'ApiErrorByStatus', 'ErrorCode', 'CallDetails'],
        'ApiErrorDetails',
      ],
      'Hooks and logs': [
        ...['Hook', 'Logger', 'CallEvent', 'RequestEvent', 'ResponseEvent', 'RetryEvent'],
        ...['ErrorEvent', 'DeprecationEvent', 'OperationName'],
      ],
      'The fetch function': ['FetchFunction', 'FetchInit', 'HttpResponse', 'HttpHeaders'],
      'Tests, from @animal-store/client/testing': [
        ...['createTestService', 'TestServiceOptions', 'TestService', 'TestRequest', 'TestFailure'],
      ],
    },
  },
};

/** Where each declaration is described. */
const addresses: ReadonlyMap<string, string> = new Map(
  Object.entries(pages).flatMap(([page, { parts }]) =>
    Object.values(parts)
      .flat()
      .map((name) => [name, `/docs/guides/${page}#${name}`]),
  ),
);

/** Declarations whose members have headings of their own, which the search finds. */
const prefixes: Readonly<Record<string, string>> = {
  ClientOptions: 'client',
  CallOptions: 'call',
  CreatePetOptions: 'createPet',
  AnimalStoreClient: 'store',
};

/** What a comment says. */
interface Comment {
  readonly text: string;
  readonly default?: string;
  readonly throws?: string;
  readonly deprecated?: string;
  readonly example?: string;
}

interface Member {
  readonly name: string;
  readonly type: string;
  readonly comment: Comment;
}

interface Declaration {
  readonly name: string;
  readonly kind: 'class' | 'const' | 'function' | 'interface' | 'type';
  /** As TypeScript writes it, without the members of a class or an interface. */
  readonly head: string;
  readonly comment: Comment;
  readonly members: readonly Member[];
}

/** Writes the pages from the declarations of the build. @returns the text of each, by its file. */
export async function clientReference(): Promise<Record<string, string>> {
  const read = (entry: string) => readFile(join(packageDirectory, `dist/${entry}.d.ts`), 'utf8');
  const [index, testing] = [await read('index'), await read('testing')];
  const declarations = new Map([...declarationsOf(testing), ...declarationsOf(index)]);
  const exported = [index, testing].flatMap((text) =>
    namesOf(/export \{([^}]*)\}/.exec(text)?.[1]),
  );
  const missing = exported.filter((name) => !addresses.has(name));
  if (missing.length > 0) throw new TypeError(`No page describes ${missing.join(', ')}.`);

  return Object.fromEntries(
    Object.entries(pages).map(([page, { title, summary, more, parts }]) => {
      const described = Object.entries(parts).flatMap(([part, names]) => [
        `## ${part}`,
        ...names.map((name) => {
          const declaration = declarations.get(name);
          if (declaration === undefined) throw new TypeError(`${name} is not exported.`);
          return describe(declaration);
        }),
      ]);
      const text = [`# ${title}`, summary, more, ...described].join('\n\n');
      return [join(guides, `${page}.md`), `${text}\n`];
    }),
  );
}

function namesOf(list = ''): string[] {
  return list.split(',').map((name) => name.trim().replace(/^type /, ''));
}

const commentPattern = String.raw`(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?`;

function declarationsOf(text: string): [string, Declaration][] {
  const pattern = new RegExp(
    String.raw`^${commentPattern}(?:declare )?(class|const|function|interface|type) (\w+)([\s\S]*?)(?=\n(?:\/\*\*|declare |interface |type |export ))`,
    'gm',
  );
  const found = Array.from(text.matchAll(pattern), ([, comment, kind, name = '', rest = '']) => {
    const [, head = rest, body = ''] = /^([^{]*) \{\n([\s\S]*)\}$/.exec(rest) ?? [];
    const hasMembers = kind === 'class' || kind === 'interface';
    const declaration = {
      ...{ name, kind: kind as Declaration['kind'], head: `${name}${hasMembers ? head : rest}` },
      ...{ comment: parseComment(comment), members: hasMembers ? membersOf(body) : [] },
    };
    return [name, declaration] as [string, Declaration];
  });
  // Of overloads the first is described.
  return found.toReversed();
}

function membersOf(body: string): Member[] {
  const pattern =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n {2}(?:readonly )?([\w]+)([\s\S]*?);\n(?! {3})(?! {2}\})/g;
  return Array.from(body.matchAll(pattern), ([, comment, name = '', rest = '']) => ({
    name,
    type: plainType(rest),
    comment: parseComment(comment),
  }));
}

function parseComment(comment = ''): Comment {
  const lines = comment.replaceAll(/^ *\* ?/gm, '').trim();
  const [text = '', ...tags] = lines.split(
    /(?:^|\s)@(?=default|throws|deprecated|example|typeParam)/,
  );
  const tag = (name: string) =>
    tags
      .find((each) => each.startsWith(`${name} `) || each.startsWith(`${name}\n`))
      ?.slice(name.length)
      .trim();
  return {
    text: inline(text),
    ...Object.fromEntries(
      ['default', 'throws', 'deprecated', 'example'].map((name) => [
        name,
        name === 'example' ? tag(name) : tag(name) && inline(tag(name)),
      ]),
    ),
  };
}

/** A text on one line, with links to other declarations. */
function inline(text = ''): string {
  return text
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(
      /\{@link (\w+)[.\w]*\}/g,
      (_, name: string) => `[\`${name}\`](${addresses.get(name)})`,
    );
}

/** A type as a caller reads it: by the names of the platform, and without what `?` says. */
function plainType(type: string): string {
  return type
    .replaceAll(/\s+/g, ' ')
    .replaceAll(' | (string & {})', ' | string')
    .replaceAll(/\bSignal\b/g, 'AbortSignal')
    .replaceAll(/\bHeaderList\b/g, 'Headers')
    .replaceAll(/\bAddress\b/g, 'URL')
    .replace(/^(\?: .*) \| undefined$/, '$1');
}

function describe({ name, kind, head, comment, members }: Declaration): string {
  const prefix = prefixes[name];
  const hasMembers = kind === 'class' || kind === 'interface';
  const base = hasMembers ? / extends (\w+)/.exec(head)?.[1] : undefined;
  // Literals that narrow the type of an error.
  const fixed = members.filter(
    ({ name, type }) => kind === 'class' && (name === 'name' || /^: (?:\d+|'\w+')$/.test(type)),
  );
  const facts = fixed.flatMap(({ name, type }) =>
    name === 'name' ? [] : `its \`${name}\` is \`${type.slice(2)}\``,
  );
  return [
    `### ${name} {#${name}}`,
    comment.text,
    base && `It extends ${linkTo(base)}${facts.map((fact) => `; ${fact}`).join('')}.`,
    // The names of a table of the contract: the comment says what they are.
    !hasMembers && !head.includes('keyof typeof') && codeBlock(`${kind} ${plainType(head)}`),
    throwsOf(comment),
    // Those of the errors are nearly the same.
    (base === undefined || !name.endsWith('Error')) && asCode(comment.example),
    prefix === undefined
      ? tableOf(members.filter((member) => !fixed.includes(member)))
      : members.map((member) => describeMember(member, prefix)).join('\n\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function describeMember({ name, type, comment }: Member, prefix: string): string {
  const isMethod = /^[(<]/.test(type);
  const byDefault = comment.default === undefined ? '' : `, default: ${defaultOf(comment.default)}`;
  return [
    `#### ${name} {#${prefix}.${name}}`,
    isMethod
      ? codeBlock(`${prefix}.${name}${type}`)
      : `${linkTo(type.replace(/^\??: /, ''))}${byDefault}`,
    comment.text,
    throwsOf(comment),
    comment.deprecated && `**Deprecated.** ${comment.deprecated}`,
    asCode(comment.example),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function tableOf(members: readonly Member[]): string {
  if (members.length === 0) return '';
  const rows = members.map(({ name, type, comment }) => {
    const isMethod = type.startsWith('(');
    const its = isMethod ? type.replace(/\): (?=[^)]+$)/, ') => ') : type.replace(/^\??: /, '');
    const mark = isMethod ? '()' : type.startsWith('?') ? '?' : '';
    const byDefault =
      comment.default === undefined ? '' : ` Default: ${defaultOf(comment.default)}.`;
    return `| \`${name}${mark}\` | \`${its.replaceAll('|', '\\|')}\` | ${comment.text}${byDefault} |`;
  });
  return ['| Member | Type | Meaning |', '|---|---|---|', ...rows].join('\n');
}

/** A type, with a link to what it names last. */
function linkTo(type: string): string {
  const named = (type.match(/\w+/g) ?? []).findLast((name) => addresses.has(name));
  return named === undefined ? `\`${type}\`` : `[\`${type}\`](${addresses.get(named)})`;
}

/** Values are code, descriptions are not. */
function defaultOf(text: string): string {
  return /^(?:'\w+'|[\d_]+|Infinity|globalThis\.\w+)$/.test(text) ? `\`${text}\`` : text;
}

function throwsOf({ throws }: Comment): string | undefined {
  return throws?.replace(/^\{(\w+)\}/, 'It throws a `$1`');
}

/** TypeScript, but no program: the tests of the guides run blocks in `ts`. */
const codeBlock = (text: string) => `\`\`\`typescript\n${text}\n\`\`\``;
/** Examples have the address of the service that shows them. */
const asCode = (example: string | undefined) =>
  example
    ?.replace(/^```ts$/m, '```typescript')
    .replaceAll('http://127.0.0.1:3000/v1', '{{baseUrl}}');
