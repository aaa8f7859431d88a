import { apiVersion, contract } from '@animal-store/contract';
import { misspeltPetParameters } from '@animal-store/contract/internal';
import type { JsonTextBody } from '@animal-store/http-server';
import { initContract } from '@ts-rest/core';
import { refuseMisspelt } from './misspelt-names.ts';

const { listPets, createPet, getPet } = contract;

const c = initContract();
const jsonTextBody = c.type<JsonTextBody>();

/**
 * The contract of animals as the server implements it. The response bodies are strings, because
 * Postgres writes the JSON of animals that are read. Requests with misspelt parameter names are
 * refused.
 */
export const petContract = c.router(
  {
    ...contract,
    listPets: {
      ...listPets,
      query: refuseMisspelt(listPets.query, misspeltPetParameters),
      responses: { ...listPets.responses, 200: jsonTextBody },
    },
    createPet: { ...createPet, body: refuseMisspelt(createPet.body) },
    getPet: { ...getPet, responses: { ...getPet.responses, 200: jsonTextBody } },
  },
  { pathPrefix: `/${apiVersion}` },
);
