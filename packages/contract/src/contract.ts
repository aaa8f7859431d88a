import { initContract } from '@ts-rest/core';
import { deprecations } from './deprecations.ts';
import { ErrorBody } from './error-body.ts';
import { CreatePetHeaders } from './idempotency-key.ts';
import { NewPet, Pet, Pets } from './pet.ts';
import { ListPetsQuery, PetPath } from './pet-parameters.ts';
import { routes } from './routes.ts';

const c = initContract();

/**
 * The error responses that every operation can have. The object has no `as const`. With `as const`,
 * TypeScript would turn the status `400` into the string `"400"`, which ts-rest does not accept, so
 * the type of the body would be lost.
 */
const commonResponses = {
  400: ErrorBody,
  401: ErrorBody,
  403: ErrorBody,
  429: ErrorBody,
  500: ErrorBody,
  503: ErrorBody,
};

/** The contract of the three operations on animals. Their paths are relative to `/v1`. */
export const contract = c.router(
  {
    listPets: {
      ...routes.listPets,
      summary: 'List animals',
      description:
        'Lists animals, ordered by `id`. The list has pages: while there is another page, the `Link` header contains its address with `rel="next"`. An animal that was added before the first page was requested is on exactly one page. With `ids`, the operation lists the animals with these ids instead, without pages. Unknown parameters are ignored. But a parameter whose name looks like a known one, such as `ids[]` or `Status`, is refused. Otherwise, the response would be the whole list.',
      query: ListPetsQuery,
      responses: { 200: Pets },
      metadata: {
        operation: 'listPets',
        usageCode: 1,
        stability: 'stable',
        scope: 'pets:read',
        quota: 'key',
      } as const,
    },
    createPet: {
      ...routes.createPet,
      summary: 'Add an animal',
      description:
        'Adds an animal and assigns its `id`. With an `Idempotency-Key`, you can repeat the request for 24 hours without adding a second animal.',
      headers: CreatePetHeaders,
      body: NewPet,
      responses: {
        201: Pet,
        408: ErrorBody,
        409: ErrorBody,
        413: ErrorBody,
        415: ErrorBody,
        422: ErrorBody,
      },
      metadata: {
        operation: 'createPet',
        usageCode: 2,
        stability: 'stable',
        scope: 'pets:write',
        quota: 'key',
      } as const,
    },
    getPet: {
      ...routes.getPet,
      summary: 'Get an animal by its id',
      description:
        'Returns one animal. **Deprecated: the operation ends on 5 December 2030.** Use `GET /pets?ids={petId}` instead, which returns a list with this one animal, or an empty list.',
      deprecated: true,
      pathParams: PetPath,
      responses: { 200: Pet, 404: ErrorBody },
      metadata: {
        operation: 'getPet',
        usageCode: 3,
        stability: 'stable',
        scope: 'pets:read',
        quota: 'key',
        deprecation: deprecations.getPet,
      } as const,
    },
  },
  { strictStatusCodes: true, commonResponses, metadata: { tag: 'Animals' } },
);
