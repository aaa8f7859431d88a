import { initContract } from '@ts-rest/core';
import { ErrorBody } from './error-body.ts';
import { CreatePetHeaders } from './idempotency-key.ts';
import { ListPetsQuery, NewPet, Pet, PetPath, Pets } from './pet.ts';
import { routes } from './routes.ts';

const c = initContract();

/**
 * What any operation may answer. Not `as const`: TypeScript spreads a readonly `400` as `"400"`,
 * which ts-rest does not take for a status, and the type of its body is lost.
 */
const commonResponses = {
  400: ErrorBody,
  401: ErrorBody,
  429: ErrorBody,
  500: ErrorBody,
  503: ErrorBody,
};

/** The three operations on animals. Paths are relative to `/v1`. */
export const contract = c.router(
  {
    listPets: {
      ...routes.listPets,
      summary: 'List animals',
      description:
        'Lists animals by `id`, ascending. The list comes in pages: while there is another, the `Link` header carries its address with `rel="next"`. An animal that was acknowledged before the first page was requested is on exactly one page.',
      query: ListPetsQuery,
      responses: { 200: Pets },
    },
    createPet: {
      ...routes.createPet,
      summary: 'Add an animal',
      description:
        'Adds an animal and gives it its `id`. With an `Idempotency-Key`, the request can be repeated for 24 hours without adding a second one.',
      headers: CreatePetHeaders,
      body: NewPet,
      responses: {
        201: Pet,
        409: ErrorBody,
        413: ErrorBody,
        415: ErrorBody,
        422: ErrorBody,
      },
    },
    getPet: {
      ...routes.getPet,
      summary: 'Get an animal by its id',
      description:
        'Returns one animal. **Deprecated: it is to be removed on 5 December 2030.** Use `GET /pets` with a `status` filter instead.',
      deprecated: true,
      pathParams: PetPath,
      responses: { 200: Pet, 404: ErrorBody },
    },
  },
  { strictStatusCodes: true, commonResponses, metadata: { tag: 'Animals' } },
);
