import {
  errorMessages,
  faultOfNewName,
  formatLinks,
  type Int64,
  int64Max,
  int64Min,
  isPetStatus,
  type NewPet,
  type Pet,
  pageLimit,
  parseInt64,
  parseJson,
  petStatuses,
  stringifyJson,
} from '@animal-store/contract';
import { createMisspeltNameFinder, misspeltPetParameters } from '@animal-store/contract/internal';
import { invalidRequest, TestError } from './test-error.ts';

/** A successful response of the test service. */
export interface TestAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** The animals of the test service, in memory. */
export interface TestPets {
  readonly all: Pet[];
  list(query: URLSearchParams, pageUrl: string): TestAnswer;
  create(body: string | undefined, idempotencyKey: string | null, pageUrl: string): TestAnswer;
  find(petId: string): TestAnswer;
}

const findMisspeltParameter = createMisspeltNameFinder(
  ['limit', 'status', 'categoryId', 'cursor', 'ids'],
  misspeltPetParameters,
);
const findMisspeltProperty = createMisspeltNameFinder(['name', 'categoryId', 'status']);

const namePattern = /^[^\p{Cc}\p{Cs}]{1,255}$/u;

export function createTestPets(initial: Iterable<NewPet | Pet>): TestPets {
  const all: Pet[] = [];
  const creations = new Map<string, { text: string; pet: Pet }>();

  let greatestId = 0;

  function add({ name, categoryId, status = 'available' }: NewPet | Pet, id = greatestId + 1): Pet {
    greatestId = Math.max(greatestId, id);
    const pet = { id, name, categoryId, status };
    all.push(pet);
    return pet;
  }
  const ids = new Set<number>();
  for (const pet of initial) {
    const { id } = add(pet, 'id' in pet ? pet.id : undefined);
    if (!Number.isSafeInteger(id) || id < 1)
      throw new TypeError(`pets: expected an integer from 1 as the id, got ${id}`);
    if (ids.size === ids.add(id).size)
      throw new TypeError(`pets: expected each id once, but ${id} is given twice`);
  }
  all.sort((one, other) => one.id - other.id);

  return {
    all,

    list(query, pageUrl) {
      const { ids, limit, status, categoryId, afterId } = readQuery(query);
      const isWanted = (pet: Pet) =>
        (!status || pet.status === status) &&
        (categoryId === undefined || pet.categoryId === categoryId);
      if (ids) {
        const pets = all.filter((pet) => ids.includes(pet.id) && isWanted(pet));
        return { status: 200, body: pets };
      }
      const rest = all.filter((pet) => pet.id > afterId && isWanted(pet));
      const pets = rest.slice(0, limit);
      const lastId = pets.at(-1)?.id;
      if (rest.length <= limit || lastId === undefined) return { status: 200, body: pets };
      const next = new URLSearchParams({ limit: `${limit}`, ...(status && { status }) });
      if (categoryId !== undefined) next.set('categoryId', `${categoryId}`);
      next.set('cursor', formatCursor({ status, categoryId }, lastId));
      const headers = { Link: formatLinks([{ url: `${pageUrl}?${next}`, rel: 'next' }]) };
      return { status: 200, body: pets, headers };
    },

    create(body, idempotencyKey, pageUrl) {
      const newPet = readNewPet(body);
      const text = stringifyJson(newPet);
      const earlier = creations.get(idempotencyKey ?? '');
      if (earlier && earlier.text !== text) {
        throw new TestError(422, 'idempotency_key_reused', errorMessages.idempotency_key_reused);
      }
      const pet = earlier?.pet ?? add(newPet);
      if (idempotencyKey !== null) creations.set(idempotencyKey, { text, pet });
      const headers = {
        Location: `${pageUrl}?ids=${pet.id}`,
        ...(earlier && { 'Idempotent-Replayed': 'true' }),
      };
      return { status: 201, body: pet, headers };
    },

    find(petId) {
      const id = parseInt64(petId);
      if (id === undefined) throw invalidRequest({ petId: ['a 64-bit integer', petId] });
      const pet = all.find((known) => known.id === id);
      if (pet === undefined) {
        throw new TestError(404, 'pet_not_found', errorMessages.pet_not_found(id));
      }
      return { status: 200, body: pet };
    },
  };
}

/** The filter parameters of a list. */
interface Filter {
  status: string | undefined;
  categoryId: Int64 | undefined;
}

/**
 * Formats the cursor for the animals after an `id`. As in the service, a cursor is valid only for
 * the filter that it was created with.
 */
function formatCursor({ status = '', categoryId }: Filter, afterId: number): string {
  return `${status}.${afterId}${categoryId === undefined ? '' : `.${categoryId}`}`;
}

function readQuery(query: URLSearchParams) {
  const [limitText, status, category, cursor] = [
    ...['limit', 'status', 'categoryId', 'cursor'].map((name) => query.get(name)),
  ].map((value) => value ?? undefined);
  const list = query.has('ids') ? query.getAll('ids').join() : undefined;
  const limit = Number(/^[1-9]\d{0,2}$/.exec(limitText ?? `${pageLimit.default}`));
  const categoryId = parseInt64(category ?? '');
  const ids = list?.split(',').map(parseInt64);
  const faults = misspeltNames(query.keys(), findMisspeltParameter);
  if (limit < pageLimit.min || limit > pageLimit.max) {
    faults['limit'] ??= [`one integer from ${pageLimit.min} to ${pageLimit.max}`, limitText];
  }
  if (status !== undefined && !isPetStatus(status)) {
    faults['status'] ??= [`one of ${petStatuses.join(', ')}`, status];
  }
  if (category !== undefined && categoryId === undefined) {
    faults['categoryId'] ??= ['a 64-bit integer', category];
  }
  if (ids && (ids.length > 100 || ids.includes(undefined))) {
    faults['ids'] ??= ['1 to 100 64-bit integers, as in ids=5,11 or ids=5&ids=11', list];
  }
  if (Object.keys(faults).length > 0) throw invalidRequest(faults);
  if (ids && limitText !== undefined) faults['limit'] = ['no value together with ids', limitText];
  if (ids && cursor !== undefined) faults['cursor'] = ['no value together with ids', cursor];
  if (Object.keys(faults).length > 0) throw invalidRequest(faults);
  const filter = { status, categoryId };
  const afterId = Number(/\.(\d+)/.exec(cursor ?? '.0')?.[1]);
  if (cursor !== undefined && cursor !== formatCursor(filter, afterId)) {
    const message =
      'cursor: expected a cursor from a Link header of the same list (same status and categoryId)';
    throw new TestError(400, 'invalid_request', message);
  }
  return { ids, limit, ...filter, afterId };
}

function readNewPet(text: string | undefined): NewPet {
  let body: unknown;
  try {
    body = text === undefined ? undefined : parseJson(text);
  } catch {
    throw new TestError(400, 'invalid_json', errorMessages.invalid_json);
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidRequest({ body: ['a JSON object with name and categoryId', body] });
  }
  const { name, categoryId, status } = body as Partial<Record<string, unknown>>;
  const faults = misspeltNames(Object.keys(body), findMisspeltProperty);
  if (typeof name !== 'string' || !namePattern.test(name)) {
    const expected = '1 to 255 characters, without control characters and lone surrogates';
    faults['name'] ??= [expected, name];
  } else {
    const fault = faultOfNewName(name)?.replace('expected ', '');
    if (fault !== undefined) faults['name'] ??= [fault, name];
  }
  if (!isInt64(categoryId)) faults['categoryId'] ??= ['a 64-bit integer', categoryId];
  if (status !== undefined && !isPetStatus(status)) {
    faults['status'] ??= [`one of ${petStatuses.join(', ')}`, status];
  }
  if (Object.keys(faults).length > 0) throw invalidRequest(faults);
  return { name, categoryId, ...(status !== undefined && { status }) } as NewPet;
}

/**
 * Returns a fault for each name that looks like a known name, as the service does. The service
 * refuses such a name, because it would otherwise ignore a filter or a property.
 */
function misspeltNames(
  names: Iterable<string>,
  findMeant: (name: string) => string | undefined,
): Parameters<typeof invalidRequest>[0] {
  const faults: Parameters<typeof invalidRequest>[0] = {};
  for (const name of names) {
    const meant = findMeant(name);
    if (meant === undefined) continue;
    const hint = meant === 'ids' ? ': send ids=5,11 or ids=5&ids=11' : '';
    faults[meant] = [`exactly this name${hint}`, name];
  }
  return faults;
}

function isInt64(value: unknown): value is Int64 {
  return typeof value === 'bigint'
    ? value >= int64Min && value <= int64Max
    : Number.isSafeInteger(value);
}
