import {
  faultOfNewName,
  int64Max,
  int64Min,
  parseJson,
  stringifyJson,
} from '@animal-store/contract';
import fc from 'fast-check';
import { type Answer, type SentRequest, send } from '../support/send.ts';
import { judge } from './judge.ts';
import { type Operation, operationsOf, type Schema } from './open-api.ts';

type Values = Readonly<Record<string, unknown>>;

/** What makes of a request that is in order one of another kind. */
type Change = {
  readonly method?: string;
  readonly values?: Values;
  readonly headers?: Readonly<Record<string, string>>;
  /** Gives the text of the body. */
  readonly write?: (body: unknown) => string | undefined;
};

/** A kind of requests, and what has to come of them. */
type Kind = {
  readonly name: string;
  readonly weight: number;
  readonly change: fc.Arbitrary<Change>;
  readonly deserves: (answer: Answer, values: Values) => boolean;
};

/**
 * Sends requests that are made from the service's own document, and holds every answer against it.
 *
 * @param options.baseUrl the service's base address, ending in `/v1`.
 * @param options.apiKey a key whose quota is never in the way.
 * @returns how many requests of each kind were answered by each status.
 * @throws with the smallest request that gets an answer which it does not deserve.
 */
export async function fuzz(options: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: number;
  readonly seed: number;
}): Promise<Record<string, number>> {
  const { baseUrl, apiKey, requests: numRuns, seed } = options;
  const response = await fetch(new URL('/openapi.json', baseUrl));
  const operations = operationsOf(parseJson(await response.text()));
  const counts: Record<string, number> = {};

  const trials = operations.flatMap((operation) =>
    kindsOf(operation, operations).map(({ name, weight, change, deserves }) => ({
      weight,
      arbitrary: fc
        .tuple(
          valuesOf(operation),
          operation.body ? within(operation.body) : fc.constant(undefined),
          change,
        )
        .map(([inOrder, body, change]) => {
          const values = { ...inOrder, ...change.values };
          const sent = toRequest(operation, { values, body, change, apiKey });
          const shown = () => `${operation.operationId}, ${name}: ${JSON.stringify(sent)}`;
          const trial = { name, operation, sent, deserves: (it: Answer) => deserves(it, values) };
          // A trial that failed is shown: the document that it came from is long.
          return Object.assign(trial, { [fc.toStringMethod]: shown });
        }),
    })),
  );
  const property = fc.asyncProperty(fc.oneof(...trials), async (trial) => {
    const { name, operation, sent, deserves } = trial;
    const answer = await send(baseUrl, sent);
    const outcome = `${operation.operationId}, ${name}: ${answer.status}`;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    const problems = judge(operation, sent.method, answer);
    if (!deserves(answer)) problems.push(`a ${name} request got ${answer.status}: ${answer.text}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  await fc.assert(property, { numRuns, seed });
  return counts;
}

const noToken = 'ast_000000000000000000000000000000000000';
const wrongTypes = ['text/plain', 'application/xml', 'json', ''];
const wrongTexts = ['', '[]', 'null', '7', '"pet"', '{', '{"name":"Mia",}', '\0', '{"name":1e400}'];

function kindsOf({ body, ...operation }: Operation, operations: readonly Operation[]): Kind[] {
  const own = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const has = own.includes('GET') ? [...own, 'HEAD'] : own;
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND'].filter(
    (method) => !has.includes(method),
  );
  const invalid = (change: fc.Arbitrary<Change>, status = 400): Kind => ({
    name: 'invalid',
    weight: 2,
    change,
    deserves: (answer) => answer.status === status,
  });
  const wrongMembers = (members: Values): Change => ({
    write: (value) => stringifyJson({ ...(value as Values), ...members }),
  });
  return [
    {
      name: 'valid',
      weight: 6,
      change: fc.constant({}),
      // What neither a document nor a request says: which ids exist, that the orders are not there
      // yet, that an idempotency key was used before, and that the few requests for the key's rate
      // limits are used up.
      deserves: ({ status }, values) =>
        status < 300 ||
        (status === 429 && operation.operationId === 'getRateLimit') ||
        (status === 404 && operation.path.includes('{')) ||
        status === 501 ||
        (status === 422 && values['Idempotency-Key'] !== undefined),
    },
    // Each way to leave the document has to be refused. A cursor has no form: only the service makes valid ones.
    ...operation.parameters
      .filter(({ name }) => name !== 'cursor')
      .map(({ name, in: place, schema }) =>
        invalid(
          outside(schema)
            .map(String)
            .filter((text) => !allows(schema, read(schema, text)))
            // An empty path segment is another path, and HTTP takes the spaces around a header.
            .filter(
              (text) => (place !== 'path' || text !== '') && (place !== 'header' || isField(text)),
            )
            .map((text) => ({ values: { [name]: text } })),
        ),
      ),
    ...(body === undefined
      ? []
      : [
          invalid(fc.constantFrom(...wrongTexts).map((text) => ({ write: () => text }))),
          ...(body['required'] as string[]).map((name) =>
            invalid(fc.constant(wrongMembers({ [name]: undefined }))),
          ),
          ...Object.entries(body['properties'] as Record<string, Schema>).map(([name, schema]) =>
            invalid(
              outside(schema)
                .filter((value) => !allows(schema, value))
                .map((value) => wrongMembers({ [name]: value })),
            ),
          ),
          invalid(
            fc.constantFrom(...wrongTypes).map((type) => ({ headers: { 'Content-Type': type } })),
            415,
          ),
        ]),
    {
      name: 'other method',
      weight: 1,
      change: fc.constantFrom(...others).map((method) => ({ method, write: () => undefined })),
      deserves: ({ status, headers }) =>
        status === 405 && headers.get('Allow')?.split(', ').sort().join() === has.sort().join(),
    },
    {
      name: 'without key',
      weight: 1,
      change: fc
        .constantFrom('', 'Bearer', `Bearer ${noToken}`, 'Basic YXN0Xzp4')
        .map((Authorization) => ({ headers: { Authorization, 'X-API-Key': noToken } })),
      deserves: ({ status, headers }) => status === 401 && headers.has('WWW-Authenticate'),
    },
  ];
}

function toRequest(
  { method, path, parameters }: Operation,
  given: { values: Values; body: unknown; change: Change; apiKey: string },
): SentRequest {
  const { values, body: value, apiKey, change } = given;
  const body = value === undefined ? undefined : (change.write ?? stringifyJson)(value);
  const of = (place: string) =>
    parameters.flatMap(({ in: its, name }) =>
      its === place && values[name] !== undefined ? [[name, String(values[name])] as const] : [],
    );
  const query = of('query').map(([name, text]) => `${name}=${encodeURIComponent(text)}`);
  const filled = of('path').reduce(
    (target, [name, text]) => target.replace(`{${name}}`, encodeURIComponent(text)),
    path,
  );
  return {
    method: change.method ?? method,
    target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: {
      Authorization: `Bearer ${apiKey}`,
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(of('header')),
      ...change.headers,
    },
    body,
  };
}

function valuesOf({ parameters }: Operation): fc.Arbitrary<Values> {
  const own = parameters.filter(({ name }) => name !== 'cursor');
  const requiredKeys = own.filter(({ required }) => required).map(({ name }) => name);
  return (
    fc
      .record(Object.fromEntries(own.map(({ name, schema }) => [name, within(schema)])), {
        requiredKeys,
      })
      // Said in words only: a list of ids has no pages.
      .map(
        ({ limit, ...rest }): Values =>
          'ids' in rest || limit === undefined ? rest : { ...rest, limit },
      )
  );
}

const ascii = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const boundsOf = (schema: Schema) =>
  [
    // Those of int64 are in its format.
    BigInt((schema['minimum'] as number | undefined) ?? int64Min),
    BigInt((schema['maximum'] as number | undefined) ?? int64Max),
  ] as const;
const toInt64 = (value: bigint) => (Number.isSafeInteger(Number(value)) ? Number(value) : value);
const isField = (text: string) => /^[\x20-\x7e]*$/.test(text) && text === text.trim();

/** Values that a schema allows. */
function within(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  switch (schema['type']) {
    case 'integer': {
      const [min, max] = boundsOf(schema);
      return fc.bigInt({ min, max }).map(toInt64);
    }
    case 'string': {
      const unit = String(schema['pattern']).includes('\\x21-') ? ascii : 'grapheme';
      const bounds = { minLength: Number(schema['minLength'] ?? 0), maxLength: 60 };
      return fc.string({ unit, ...bounds }).filter((text) => allows(schema, text));
    }
    case 'array':
      return fc.array(within(schema['items'] as Schema), {
        minLength: Number(schema['minItems'] ?? 0),
        maxLength: Number(schema['maxItems']),
      });
    default: {
      const members = Object.entries(schema['properties'] as Record<string, Schema>);
      return fc.record(
        Object.fromEntries(members.map(([name, member]) => [name, within(member)])),
        { requiredKeys: schema['required'] as string[] },
      );
    }
  }
}

/** Texts that are no integer: in another notation, several, or with something beside it. */
const noIntegers = ['', ' 5', '5 ', '+5', '05', '0x10', '1e1', '5.0', '5.5', 'NaN', '٥', '5,6'];

/** Values near a schema; most are not allowed. */
function outside(schema: Schema): fc.Arbitrary<unknown> {
  const others = fc.constantFrom<unknown>(null, true, [], {}, [1], 1.5, ...noIntegers);
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: ascii }));
  switch (schema['type']) {
    case 'integer': {
      const [min, max] = boundsOf(schema);
      const [above, below] = [
        { min: max + 1n, max: max * 1000n },
        { min: min - 1000n * max, max: min - 1n },
      ];
      return fc.oneof(others, text, fc.bigInt(above).map(toInt64), fc.bigInt(below).map(toInt64));
    }
    case 'array': {
      const items = schema['items'] as Schema;
      const long = { minLength: Number(schema['maxItems']) + 1 };
      return fc.oneof(
        fc.tuple(within(items), outside(items), within(items)).map((list) => list.map(String)),
        fc.array(within(items), { ...long, maxLength: long.minLength + 5 }),
      );
    }
    default: {
      const minLength = Number(schema['maxLength'] ?? 50) + 1;
      const long = fc.string({ unit: ascii, minLength, maxLength: minLength + 50 });
      return fc.oneof(
        others,
        fc.integer(),
        text,
        text.map((it) => `${it}\u0007`),
        long,
      );
    }
  }
}

/** What the text of a parameter means. */
function read(schema: Schema, text: string): unknown {
  if (schema['type'] === 'array')
    return text.split(',').map((it) => read(schema['items'] as Schema, it));
  const isInteger = schema['type'] === 'integer' && /^(?:0|-?[1-9]\d*)$/.test(text);
  return isInteger ? BigInt(text) : text;
}

function allows(schema: Schema, value: unknown): boolean {
  if (Array.isArray(schema['enum'])) return schema['enum'].includes(value);
  switch (schema['type']) {
    case 'integer': {
      const [min, max] = boundsOf(schema);
      const isInteger = typeof value === 'bigint' || Number.isInteger(value);
      return isInteger && BigInt(value as bigint) >= min && BigInt(value as bigint) <= max;
    }
    case 'array': {
      const items = value as unknown[];
      const isLong = items.length > Number(schema['maxItems']);
      return !isLong && items.every((item) => allows(schema['items'] as Schema, item));
    }
    default:
      return (
        typeof value === 'string' &&
        new RegExp(String(schema['pattern'] ?? ''), 'u').test(value) &&
        [...value].length <= Number(schema['maxLength'] ?? Number.POSITIVE_INFINITY) &&
        // Said in the description of a name: its pattern may not change within v1.
        faultOfNewName(value) === undefined
      );
  }
}
