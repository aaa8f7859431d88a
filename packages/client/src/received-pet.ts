import type { Pet as KnownPet, PetStatus } from '@animal-store/contract';

/** An animal in the catalogue. */
export interface Pet extends Omit<KnownPet, 'status'> {
  /**
   * Availability of the animal. A newer service may send values that this version does not list, so
   * give a `switch` a `default`.
   */
  status?: PetStatus | (string & {});
}
