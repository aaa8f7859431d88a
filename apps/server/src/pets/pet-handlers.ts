import {
  contract,
  errorMessages,
  formatLinks,
  type NewPet,
  type Pet,
  routes,
} from '@animal-store/contract';
import { initServer } from '@ts-rest/express';
import { LRUCache } from 'lru-cache';
import { HttpError } from '../http/http-error.ts';
import { JsonText } from '../http/send-json.ts';
import type { IdempotentCreation, IdempotentCreations } from './idempotent-creation.ts';
import { decodeCursor, encodeCursor, type PagePosition } from './page-cursor.ts';
import type { PetRepository } from './pet-repository.ts';

/**
 * The three operations on animals.
 *
 * @param options.baseUrl The start of links, ending in `/v1`. Never taken from the `Host` header, which
 * a caller can set to anything.
 */
export function createPetHandlers(options: {
  pets: PetRepository;
  creations: IdempotentCreations;
  baseUrl: string;
}) {
  const { pets, creations, baseUrl } = options;
  // Making a link takes 5 µs, and clients ask for the same pages again and again.
  const links = new LRUCache<string, string>({ max: 1_000 });

  function linkToNext(limit: number, position: PagePosition): string {
    const page = `${limit} ${position.status} ${position.afterId}`;
    const known = links.get(page);
    if (known !== undefined) return known;
    const link = formatLinks([{ url: pageUrl(baseUrl, limit, position), rel: 'next' }]);
    links.set(page, link);
    return link;
  }

  return initServer().router(contract, {
    async listPets({ query: { limit, status, cursor }, res }) {
      const afterId = readCursor(cursor, status);
      const { json, lastId } = await pets.list({ status, afterId }, limit);
      if (lastId !== undefined) {
        res.locals.headers.push('Link', linkToNext(limit, { status, afterId: lastId }));
      }
      return { status: 200, body: JsonText.of<Pet[]>(json) };
    },

    async createPet({ body, headers: { 'idempotency-key': idempotencyKey }, res }) {
      if (idempotencyKey === undefined) return { status: 201, body: await pets.create(body) };
      const { apiKey } = res.locals;
      if (apiKey === undefined) throw new TypeError('createPet needs requireKey before it.');
      const creation = await creations.create({ keyId: apiKey.id, idempotencyKey }, body);
      if (creation.outcome === 'replayed') res.locals.headers.push('Idempotent-Replayed', 'true');
      return { status: 201, body: createdPet(creation) };
    },

    async getPet({ params: { petId } }) {
      const pet = await pets.find(petId);
      if (pet === undefined) {
        throw new HttpError('pet_not_found', errorMessages.pet_not_found(petId));
      }
      return { status: 200, body: pet };
    },
  });
}

function readCursor(cursor: string | undefined, status: NewPet['status']): number {
  if (cursor === undefined) return 0;
  const afterId = decodeCursor(cursor, status);
  if (afterId === undefined) {
    throw new HttpError(
      'invalid_request',
      'cursor: expected one that a Link header gave for the same status filter',
    );
  }
  return afterId;
}

function pageUrl(baseUrl: string, limit: number, position: PagePosition): string {
  const query = new URLSearchParams({ limit: String(limit) });
  if (position.status !== undefined) query.set('status', position.status);
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
