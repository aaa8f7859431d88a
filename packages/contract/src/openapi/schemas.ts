import type { z } from 'zod';
import { ErrorBody, errorStatus } from '../error.ts';
import { NewPet, Pet, PetPath, PetStatus, Pets } from '../pet.ts';
import { errorNotes } from './error-notes.ts';
import { createSchemaWriter, type JsonObject } from './json-schema.ts';
import { nameRules } from './name-notes.ts';
import type { ParameterNotes } from './operations.ts';

/** An animal as every example shows it. */
export const mia = { id: 1, name: 'Mia', categoryId: 3, status: 'available' } as const;

const names = new Map<z.core.$ZodType, string>([
  [Pet, 'Pet'],
  [NewPet, 'NewPet'],
  [Pets, 'Pets'],
  [PetStatus, 'PetStatus'],
  [ErrorBody, 'Error'],
]);

const int64 = { type: 'integer', format: 'int64' } as const;

const status =
  'Availability of the animal. A new animal without a status is `available`; the service always sends it.';

const notes = new Map<z.core.$ZodType, JsonObject>([
  [Pet, { description: 'An animal in the catalogue.', examples: [mia] }],
  [
    Pet.shape.id,
    {
      format: 'int64',
      description:
        'Identifies the animal. Assigned by the service on creation, and at most 2^53 − 1, so that a double holds it exactly.',
      examples: [mia.id],
    },
  ],
  [
    Pet.shape.name,
    {
      ...nameRules,
      description: "The animal's name: any characters but control characters, in valid Unicode.",
      examples: [mia.name],
    },
  ],
  [
    Pet.shape.categoryId,
    {
      ...int64,
      description:
        'Identifies the category that the animal belongs to: any 64-bit integer. Read it without rounding; a double does not hold them all.',
      examples: [mia.categoryId],
    },
  ],
  [Pet.shape.status, { description: status }],
  [
    NewPet,
    {
      description:
        'What to send to add an animal: a Pet without its `id`. Members that are not listed here are ignored.',
      examples: [{ name: mia.name, categoryId: mia.categoryId, status: mia.status }],
    },
  ],
  [
    NewPet.shape.status,
    // Without the keyword `default`: generators take a member that has one for always there.
    { description: 'Availability of the animal: `available` if it is left out.' },
  ],
  [Pets, { description: 'A page of the catalogue, by `id` ascending.', examples: [[mia]] }],
  [PetPath.shape.petId, int64],
  [PetStatus, { description: 'Where an animal stands in its sale.' }],
  ...errorNotes({
    codes: Object.keys(errorStatus),
    example: { code: 'pet_not_found', message: 'There is no animal with the id 7.', status: 404 },
  }),
]);

/** The schemas of the public API. */
export const schemas = createSchemaWriter({ names, notes });

/** What the parameters of the public API mean. */
export const parameters: ParameterNotes = {
  petId: { description: 'The `id` of the animal.', example: mia.id },
  limit: { description: 'The greatest number of animals to return.', example: 50 },
  status: { description: 'Only animals with this status.', example: PetStatus.enum.available },
  cursor: {
    description:
      'Where the page starts: the opaque cursor of the `Link` header of the page before. Follow that link instead of building one.',
  },
};
