import { errorMessages, formatLinks, type Pet, pageLimit, routes } from '@animal-store/contract';
import {
  appendHeader,
  HttpError,
  JsonTextBody,
  jsonBody,
  setHeader,
  timed,
} from '@animal-store/http-server';
import { initServer } from '@ts-rest/express';
import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { IdempotentCreation, IdempotentCreations } from './idempotent-creation.ts';
import { decodeCursor, encodeCursor, type PagePosition, type PetFilter } from './pet-cursor.ts';
import type { PetRepository } from './pet-repository.ts';
import { petContract } from './served-pet-contract.ts';

/**
 * Creates the handlers of the three operations on animals.
 *
 * @param options.baseUrl the base URL of links, ending in `/v1`. It is never taken from the `Host`
 * header, because a caller can set that header to anything.
 */
export function createPetHandlers(options: {
  pets: PetRepository;
  creations: IdempotentCreations;
  baseUrl: string;
  /** Returns the API key of a request. */
  keyOf: (res: { readonly locals: Express.Locals }) => { readonly id: string };
  /**
   * A middleware that refuses a request if its API key has lost the permission while the body
   * arrived.
   */
  confirmCaller: RequestHandler;
}) {
  const { pets, creations, baseUrl, keyOf, confirmCaller } = options;
  // A cache of pagination links. Building a link takes 5 µs, and clients request the same pages
  // again and again.
  const links = new LRUCache<string, string>({ max: 1_000 });

  function linkToNext(limit: number, position: PagePosition): string {
    const page = `${limit} ${position.status} ${position.categoryId} ${position.afterId}`;
    const known = links.get(page);
    if (known !== undefined) return known;
    const link = formatLinks([{ url: pageUrl(baseUrl, limit, position), rel: 'next' }]);
    links.set(page, link);
    return link;
  }

  return initServer().router(petContract, {
    async listPets({ query: { ids, limit = pageLimit.default, cursor, status, categoryId }, res }) {
      const filter = { status, categoryId };
      if (ids !== undefined) {
        const json = await timed(res, 'sqlMs', pets.listByIds({ ids, ...filter }));
        return { status: 200, body: new JsonTextBody(json) };
      }
      const afterId = readCursor(cursor, filter);
      const { json, lastId } = await timed(res, 'sqlMs', pets.list({ ...filter, afterId }, limit));
      if (lastId !== undefined) {
        appendHeader(res, 'Link', linkToNext(limit, { ...filter, afterId: lastId }));
      }
      return { status: 200, body: new JsonTextBody(json) };
    },

    createPet: {
      middleware: [jsonBody, confirmCaller],
      async handler({ body, headers: { 'idempotency-key': idempotencyKey }, res }) {
        let pet: Pet;
        if (idempotencyKey === undefined) {
          pet = await timed(res, 'sqlMs', pets.create(body));
        } else {
          const creator = { keyId: keyOf(res).id, idempotencyKey };
          const creation = await timed(res, 'sqlMs', creations.create(creator, body));
          pet = createdPet(creation);
          if (creation.outcome === 'replayed') setHeader(res, 'Idempotent-Replayed', 'true');
        }
        setHeader(res, 'Location', `${baseUrl}${routes.listPets.path}?ids=${pet.id}`);
        return { status: 201, body: pet };
      },
    },

    async getPet({ params: { petId }, res }) {
      const pet = await timed(res, 'sqlMs', pets.find(petId));
      if (pet === undefined) {
        throw new HttpError('pet_not_found', errorMessages.pet_not_found(petId));
      }
      return { status: 200, body: new JsonTextBody(pet) };
    },
  });
}

function readCursor(cursor: string | undefined, filter: PetFilter): number {
  if (cursor === undefined) return 0;
  const afterId = decodeCursor(cursor, filter);
  if (afterId === undefined) {
    throw new HttpError(
      'invalid_request',
      'cursor: expected a cursor from a Link header of the same list (same status and categoryId)',
    );
  }
  return afterId;
}

function pageUrl(baseUrl: string, limit: number, position: PagePosition): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (position.status !== undefined) query.set('status', position.status);
  if (position.categoryId !== undefined) query.set('categoryId', String(position.categoryId));
  query.set('cursor', encodeCursor(position));
  return `${baseUrl}${routes.listPets.path}?${query}`;
}

function createdPet(creation: IdempotentCreation): Pet {
  switch (creation.outcome) {
    case 'created':
    case 'replayed':
      return creation.pet;
    case 'in-progress':
      throw new HttpError('idempotency_in_progress', errorMessages.idempotency_in_progress, {
        headers: { 'Retry-After': '1' },
      });
    case 'key-reused':
      throw new HttpError('idempotency_key_reused', errorMessages.idempotency_key_reused);
  }
}
