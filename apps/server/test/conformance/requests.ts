import { stringifyJson } from '@animal-store/contract';
import fc from 'fast-check';
import type { Answer, SentRequest } from '../support/send.ts';
import type { Operation, Parameter, Schema } from './open-api.ts';

/** A request that is made from the document, and what has to come of it. */
export type Trial = {
  readonly kind: string;
  readonly operation: Operation;
  readonly sent: SentRequest;
  /** Whether the answer's status is one that such a request deserves. */
  readonly deserves: (answer: Answer) => boolean;
};

/** Requests of every kind to every operation of a document. */
export function trials(operations: readonly Operation[], apiKey: string): fc.Arbitrary<Trial> {
  return fc.oneof(
    ...operations.flatMap((operation) => [
      { weight: 6, arbitrary: valid(operation, apiKey) },
      ...invalid(operation, apiKey).map((arbitrary) => ({ weight: 2, arbitrary })),
      { weight: 1, arbitrary: otherMethod(operation, operations, apiKey) },
      { weight: 1, arbitrary: withoutKey(operation) },
    ]),
  );
}

/** Makes a trial that failed readable: the document that it came from is long. */
export function shown(trial: Trial): Trial {
  const text = () => `${trial.operation.operationId}, ${trial.kind}: ${JSON.stringify(trial.sent)}`;
  return Object.assign(trial, { [fc.toStringMethod]: text });
}

type Values = Readonly<Record<string, unknown>>;

const bearer = (apiKey: string) => ({ Authorization: `Bearer ${apiKey}` });

/** Every request that the document allows has to be accepted. */
function valid(operation: Operation, apiKey: string): fc.Arbitrary<Trial> {
  return fc.tuple(parameterValues(operation), bodyOf(operation)).map(([values, body]) => ({
    kind: 'valid',
    operation,
    sent: toRequest(
      operation,
      values,
      body === undefined ? undefined : stringifyJson(body),
      apiKey,
    ),
    deserves: ({ status }) =>
      // What neither a document nor a request says: which ids exist, that the orders are not there
      // yet, that an idempotency key was used before, and that the few requests for the key's rate
      // limits are used up.
      status < 300 ||
      (status === 429 && operation.operationId === 'getRateLimit') ||
      (status === 404 && operation.path.includes('{')) ||
      status === 501 ||
      (status === 422 && values['Idempotency-Key'] !== undefined),
  }));
}

/** Each way to leave the document has to be refused. */
function invalid(operation: Operation, apiKey: string): fc.Arbitrary<Trial>[] {
  const refused = ({ status }: Answer) => status === 400;
  const trial = (sent: SentRequest): Trial => ({
    kind: 'invalid',
    operation,
    sent,
    deserves: refused,
  });
  const byParameter = operation.parameters
    .filter(({ schema, name }) => outside(schema) !== undefined && name !== 'cursor')
    .map((parameter) =>
      fc
        .tuple(
          parameterValues(operation),
          bodyOf(operation),
          outside(parameter.schema) ?? fc.constant(''),
        )
        // An empty path segment is another path.
        .filter(([, , text]) => parameter.in !== 'path' || text !== '')
        .map(([values, body, text]) =>
          trial(
            toRequest(
              operation,
              { ...values, [parameter.name]: text },
              body === undefined ? undefined : stringifyJson(body),
              apiKey,
            ),
          ),
        ),
    );
  const { body } = operation;
  if (body === undefined) return byParameter;
  const members = body['properties'] as Record<string, Schema>;
  const required = body['required'] as string[];
  const texts = fc.oneof(
    // A required member is missing.
    fc
      .tuple(arbitraryOf(body), fc.constantFrom(...required))
      .map(([value, name]) => stringifyJson({ ...(value as object), [name]: undefined })),
    // A member is of another type, or out of its bounds.
    ...Object.entries(members).map(([name, schema]) =>
      fc
        .tuple(arbitraryOf(body), wrongJson(schema))
        .map(([value, wrong]) => stringifyJson({ ...(value as object), [name]: wrong })),
    ),
    // It is no object, or no JSON.
    fc.constantFrom(
      '',
      '[]',
      'null',
      '7',
      '"pet"',
      '{',
      '{"name":"Mia",}',
      '\u0000',
      '{"name":1e400}',
    ),
  );
  return [
    ...byParameter,
    fc
      .tuple(parameterValues(operation), texts)
      .map(([values, text]) => trial(toRequest(operation, values, text, apiKey))),
    fc
      .tuple(bodyOf(operation), fc.constantFrom('text/plain', 'application/xml', 'json', ''))
      .map(([value, type]) => {
        const sent = toRequest(operation, {}, stringifyJson(value), apiKey);
        return {
          ...trial({ ...sent, headers: { ...sent.headers, 'Content-Type': type } }),
          deserves: ({ status }) => status === 415,
        };
      }),
  ];
}

/** A path has the methods that the document says, HEAD with GET, and no other. */
function otherMethod(
  operation: Operation,
  operations: readonly Operation[],
  apiKey: string,
): fc.Arbitrary<Trial> {
  const own = operations.filter(({ path }) => path === operation.path).map(({ method }) => method);
  const has = own.includes('GET') ? [...own, 'HEAD'] : own;
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].filter(
    (method) => !has.includes(method),
  );
  return fc
    .tuple(fc.constantFrom(...others), parameterValues(operation))
    .map(([method, values]) => {
      const { target, headers } = toRequest(operation, values, undefined, apiKey);
      return {
        kind: 'other method',
        operation,
        sent: { method, target, headers },
        deserves: ({ status, headers: answered }) =>
          status === 405 &&
          answered.get('Allow')?.split(', ').sort().join() === [...has].sort().join(),
      };
    });
}

/** No operation answers without a valid key, however it is left out. */
function withoutKey(operation: Operation): fc.Arbitrary<Trial> {
  const headers = fc.constantFrom<Record<string, string>>(
    {},
    { Authorization: '' },
    { Authorization: 'Bearer' },
    { Authorization: 'Bearer ast_000000000000000000000000000000000000' },
    { Authorization: 'Basic YXN0Xzp4' },
    { 'X-API-Key': 'ast_000000000000000000000000000000000000' },
  );
  return fc
    .tuple(parameterValues(operation), bodyOf(operation), headers)
    .map(([values, body, own]) => {
      const { headers: others, ...sent } = toRequest(
        operation,
        values,
        body === undefined ? undefined : stringifyJson(body),
        '',
      );
      const { Authorization: _, ...rest } = others;
      return {
        kind: 'without key',
        operation,
        sent: { ...sent, headers: { ...rest, ...own } },
        deserves: ({ status, headers: answered }) =>
          status === 401 && answered.has('WWW-Authenticate'),
      };
    });
}

function toRequest(
  operation: Operation,
  values: Values,
  body: string | undefined,
  apiKey: string,
): SentRequest {
  const given = (place: Parameter['in']) =>
    operation.parameters.filter(
      (parameter) => parameter.in === place && values[parameter.name] !== undefined,
    );
  const path = given('path').reduce(
    (filled, { name }) => filled.replace(`{${name}}`, encodeURIComponent(String(values[name]))),
    operation.path,
  );
  const query = given('query')
    .map(({ name }) => `${name}=${encodeURIComponent(String(values[name]))}`)
    .join('&');
  return {
    method: operation.method,
    target: query === '' ? path : `${path}?${query}`,
    headers: {
      ...bearer(apiKey),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...Object.fromEntries(given('header').map(({ name }) => [name, String(values[name])])),
    },
    body,
  };
}

function bodyOf({ body }: Operation): fc.Arbitrary<unknown> {
  return body === undefined ? fc.constant(undefined) : arbitraryOf(body);
}

function parameterValues({ parameters }: Operation): fc.Arbitrary<Values> {
  // A cursor is opaque: only the service makes valid ones.
  const own = parameters.filter(({ name }) => name !== 'cursor');
  return fc.record(Object.fromEntries(own.map(({ name, schema }) => [name, arbitraryOf(schema)])), {
    requiredKeys: own.filter(({ required }) => required).map(({ name }) => name),
  });
}

/** Values that a schema allows; of JSON Schema what this document uses, and an error for the rest. */
function arbitraryOf(schema: Schema): fc.Arbitrary<unknown> {
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  switch (schema['type']) {
    case 'integer':
      return fc
        .bigInt({
          min: BigInt(schema['minimum'] as bigint),
          max: BigInt(schema['maximum'] as bigint),
        })
        .map((value) => (Number.isSafeInteger(Number(value)) ? Number(value) : value));
    case 'string': {
      const pattern = new RegExp(String(schema['pattern'] ?? ''), 'u');
      const ascii = String(schema['pattern']).includes('\\x21-');
      return fc
        .string({
          unit: ascii
            ? fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code))
            : 'grapheme',
          minLength: Number(schema['minLength'] ?? 0),
          maxLength: 60,
        })
        .filter((text) => pattern.test(text) && [...text].length <= Number(schema['maxLength']));
    }
    case 'object': {
      const members = schema['properties'] as Record<string, Schema>;
      return fc.record(
        Object.fromEntries(
          Object.entries(members).map(([name, member]) => [name, arbitraryOf(member)]),
        ),
        { requiredKeys: schema['required'] as string[] },
      );
    }
    default:
      throw new Error(`There are no values yet for the schema ${JSON.stringify(schema)}`);
  }
}

/** Texts that are no value of a parameter. */
function outside(schema: Schema): fc.Arbitrary<string> | undefined {
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as string[];
    return fc.string({ unit: 'grapheme' }).filter((text) => !values.includes(text));
  }
  if (schema['type'] === 'string') return outsidePattern(schema);
  if (schema['type'] !== 'integer') return undefined;
  const [min, max] = [BigInt(schema['minimum'] as bigint), BigInt(schema['maximum'] as bigint)];
  return fc.oneof(
    fc.bigInt({ min: max + 1n, max: max * 1000n }).map(String),
    fc.bigInt({ min: min * 1000n - 1000n, max: min - 1n }).map(String),
    fc.constantFrom(
      '',
      ' 5',
      '5 ',
      '+5',
      '05',
      '0x10',
      '1e1',
      '5.0',
      '5.5',
      'NaN',
      'null',
      '٥',
      '5,6',
    ),
    fc.string({ unit: 'grapheme' }).filter((text) => !/^-?\d+$/.test(text)),
  );
}

/** Texts that a pattern refuses, or that are too long for it; HTTP takes the spaces around a value. */
function outsidePattern(schema: Schema): fc.Arbitrary<string> | undefined {
  if (schema['pattern'] === undefined) return undefined;
  const pattern = new RegExp(String(schema['pattern']), 'u');
  const tooLong = Number(schema['maxLength']) + 1;
  return fc.oneof(
    fc
      .string({ unit: 'grapheme-ascii' })
      .filter((text) => text === text.trim() && !pattern.test(text)),
    fc.integer({ min: tooLong, max: tooLong + 50 }).map((length) => 'x'.repeat(length)),
  );
}

/** JSON values of another type than a member's, or out of its bounds. */
function wrongJson(schema: Schema): fc.Arbitrary<unknown> {
  const others = fc.constantFrom<unknown>(null, true, [], {}, [1]);
  if (Array.isArray(schema['enum'])) {
    const values = schema['enum'] as unknown[];
    return fc.oneof(
      others,
      fc.integer(),
      fc.string().filter((text) => !values.includes(text)),
    );
  }
  if (schema['type'] === 'integer') {
    return fc.oneof(
      others,
      fc.string(),
      fc.double({ noInteger: true, noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }),
      fc.bigInt({ min: BigInt(schema['maximum'] as bigint) + 1n, max: 2n ** 80n }),
      fc.bigInt({ min: -(2n ** 80n), max: BigInt(schema['minimum'] as bigint) - 1n }),
    );
  }
  const tooLong = Number(schema['maxLength']) + 1;
  return fc.oneof(
    others,
    fc.integer(),
    fc.constant(''),
    fc.string({ minLength: tooLong, maxLength: tooLong + 50 }),
    fc.string().map((text) => `${text}\u0007`),
  );
}
