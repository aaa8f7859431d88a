import {
  faultOfNewName,
  int64Max,
  int64Min,
  normalizeInt64,
  parseInt64,
  parseJson,
  stringifyJson,
} from '@animal-store/contract';
import fc from 'fast-check';
import { type Answer, type SentRequest, send } from '../support/send.ts';
import { faultsOf, judge } from './judge.ts';
import { type Operation, operationsOf, type Schema } from './open-api.ts';

type Values = Readonly<Record<string, unknown>>;

/** Reads the operations of a service from its OpenAPI document. */
export async function readOperations(baseUrl: string): Promise<Operation[]> {
  const response = await fetch(new URL('/openapi.json', baseUrl));
  return operationsOf(parseJson(await response.text()));
}

/**
 * Sends random requests that are generated from the service's OpenAPI document, and checks every
 * response against the document.
 *
 * @param options.baseUrl the base URL of the service, ending in `/v1`.
 * @param options.apiKey an API key with a quota that is large enough for all requests.
 * @returns the tested combinations of operation, validity of the request, and status.
 * @throws if a response is wrong. The error contains the smallest request that causes it.
 */
export async function fuzz(options: {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly requests: number;
  readonly seed: number;
}): Promise<Set<string>> {
  const { baseUrl, apiKey, requests: numRuns, seed } = options;
  const met = new Set<string>();
  const trials = (await readOperations(baseUrl)).map((operation) => {
    const arbitrary = withValues(operation).map((trial) => {
      const shown = () => `${operation.operationId}: ${JSON.stringify(trial.sent)}`;
      // When a request fails, fast-check prints this short text. By default, it would print the
      // whole operation, which contains a large part of the OpenAPI document.
      return Object.assign({ ...trial, operation }, { [fc.toStringMethod]: shown });
    });
    // Operations with more parameters are called more often.
    const weight = 1 + operation.parameters.length + (operation.body === undefined ? 0 : 3);
    return { arbitrary, weight };
  });
  const property = fc.asyncProperty(fc.oneof(...trials), async (trial) => {
    const { isValid, operation, sent, deserves } = trial;
    const headers = { Authorization: `Bearer ${apiKey}`, ...sent.headers };
    const answer = await send(baseUrl, { ...sent, headers });
    const kind = isValid ? 'valid' : 'invalid';
    met.add(`${operation.operationId}, ${kind}: ${answer.status}`);
    const problems = judge(operation, sent.method, answer);
    if (!deserves(answer)) problems.push(`a ${kind} request got ${answer.status}: ${answer.text}`);
    if (problems.length > 0) throw new Error(problems.join('\n'));
  });
  await fc.assert(property, { numRuns, seed });
  return met;
}

/**
 * Generates requests with allowed values and with slightly wrong ones. The service must refuse each
 * kind of wrong value.
 */
function withValues(operation: Operation) {
  // Cursors are left out, because only the service creates valid cursors.
  const parameters = operation.parameters.filter(({ name }) => name !== 'cursor');
  const texts = parameters.map(({ name, in: place, schema }) => {
    const text = near(schema).map(String);
    // An empty path parameter would result in another path, and HTTP removes spaces around the
    // value of a header.
    if (place === 'path') return [name, text.filter((it) => it !== '')] as const;
    return [name, place === 'header' ? text.filter(isField) : text] as const;
  });
  const requiredKeys = parameters.filter(({ required }) => required).map(({ name }) => name);
  const values = fc.record(Object.fromEntries(texts), { requiredKeys });
  const body = operation.body ? near(operation.body) : fc.constant(undefined);
  return fc.tuple(values, body).map(([given, body]) => {
    // A list of ids has no pages, so `limit` is not sent together with `ids`. The document says
    // this only in a description.
    const { limit, ...rest } = given;
    const values: Values = 'ids' in given || limit === undefined ? rest : given;
    const isValid =
      parameters.every(({ name, schema }) => {
        const text = values[name];
        return text === undefined || allows(schema, read(schema, String(text)));
      }) &&
      (operation.body === undefined || allows(operation.body, body));
    return {
      isValid,
      sent: toRequest(operation, values, body),
      // A valid request may also fail for a reason that neither the document nor the request shows.
      // For example, an id may not exist, orders are not implemented, an idempotency key may be in
      // use, and the limit of `GET /rate-limit` may be used up.
      deserves: ({ status }: Answer) =>
        isValid
          ? status < 300 ||
            (status === 429 && operation.operationId === 'getRateLimit') ||
            (status === 404 && operation.path.includes('{')) ||
            status === 501 ||
            (status === 422 && values['Idempotency-Key'] !== undefined)
          : status === 400,
    };
  });
}

function toRequest(
  { method, path, parameters, body: schema }: Operation,
  values: Values,
  body: unknown,
): SentRequest {
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
    method,
    target: query.length === 0 ? filled : `${filled}?${query.join('&')}`,
    headers: {
      ...(schema !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(of('header')),
    },
    body: schema === undefined ? undefined : stringifyJson(body),
  };
}

const ascii = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const isField = (text: string) => /^[\x20-\x7e]*$/.test(text) && text === text.trim();

/**
 * Values that the service must refuse where it expects an integer: values of other types, and
 * texts that are not the decimal form of one integer.
 */
const wrong = fc.constantFrom<unknown>(
  ...[null, true, [], {}, [1], 1.5, '', ' 5', '+5', '05', '0x10', '1e1', '5.0', '٥', '5,6'],
);

/** Generates values that a schema allows, and some values that it does not allow. */
function near(schema: Schema): fc.Arbitrary<unknown> {
  const mostly = (allowed: fc.Arbitrary<unknown>, ...others: fc.Arbitrary<unknown>[]) =>
    fc.oneof({ weight: 8, arbitrary: allowed }, ...others, wrong);
  if (Array.isArray(schema['enum'])) return mostly(fc.constantFrom(...schema['enum']));
  switch (schema['type']) {
    case 'integer': {
      // Without explicit limits, the format int64 implies these limits.
      const min = BigInt((schema['minimum'] as number | undefined) ?? int64Min);
      const max = BigInt((schema['maximum'] as number | undefined) ?? int64Max);
      const edges = fc.constantFrom(min - 1n, min, max, max + 1n, max * 1000n);
      return mostly(fc.bigInt({ min, max }), edges).map((value) =>
        typeof value === 'bigint' ? normalizeInt64(value) : value,
      );
    }
    case 'array': {
      const few = fc.array(near(schema['items'] as Schema), { minLength: 1, maxLength: 3 });
      return mostly(few, fc.constant(Array(Number(schema['maxItems']) + 1).fill(1)));
    }
    case 'string': {
      const most = 'x'.repeat(Number(schema['maxLength'] ?? 50));
      const edges = fc.constantFrom(most, `${most}x`, 'a\u0007', 'Mi\u200ba');
      const bounds = { minLength: 1, maxLength: 60 };
      const texts = [
        fc.string({ unit: 'grapheme', ...bounds }),
        fc.string({ unit: ascii, ...bounds }),
      ];
      return mostly(fc.oneof(...texts), edges);
    }
    default: {
      const members = Object.entries(schema['properties'] as Record<string, Schema>);
      const record = (requiredKeys: string[]) =>
        fc.record(Object.fromEntries(members.map(([name, it]) => [name, near(it)])), {
          requiredKeys,
        });
      return fc.oneof({ weight: 4, arbitrary: record(schema['required'] as string[]) }, record([]));
    }
  }
}

/** Converts the text of a parameter to a value, according to its schema. */
export function read(schema: Schema, text: string): unknown {
  if (schema['type'] === 'array')
    return text.split(',').map((it) => read(schema['items'] as Schema, it));
  return schema['type'] === 'integer' ? (parseInt64(text) ?? text) : text;
}

/**
 * Tells whether the service must accept a value: it matches the schema, and its name matches the
 * stricter rules for new names. Only descriptions contain these rules, because the pattern of a
 * name in the schema cannot change within v1.
 */
export function allows(schema: Schema, value: unknown): boolean {
  const { name } = (value ?? {}) as Values;
  if (typeof name === 'string' && faultOfNewName(name) !== undefined) return false;
  // Each `bigint` is replaced, because the JSON Schema validator does not support the type.
  const plain = JSON.stringify(value, (_name, it) => {
    if (typeof it !== 'bigint') return it;
    return it >= int64Min && it <= int64Max ? 0 : 'beyond int64';
  });
  return faultsOf(schema, JSON.parse(plain), '').length === 0;
}
