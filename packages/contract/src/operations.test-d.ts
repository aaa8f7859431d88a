import { expectTypeOf } from 'vitest';
import type { DescribedRoutes } from './operation-metadata.ts';

// An operation without metadata, a scope or a quota, or with that of another one, is a type error.
type Described = DescribedRoutes<'sellPet'>;
interface Metadata<Name> {
  metadata: {
    operation: Name;
    stability: 'stable';
    usageCode: 5;
    tag: 'Animals';
    scope: 'pets:read';
    quota: 'key';
  };
}
expectTypeOf<{ sellPet: Metadata<'sellPet'> }>().toExtend<Described>();
expectTypeOf<{ sellPet: { metadata: { tag: 'Animals' } } }>().not.toExtend<Described>();
expectTypeOf<{ sellPet: Metadata<'getPet'> }>().not.toExtend<Described>();
expectTypeOf<{
  sellPet: { metadata: Omit<Metadata<'sellPet'>['metadata'], 'scope'> };
}>().not.toExtend<Described>();
expectTypeOf<{
  sellPet: { metadata: Omit<Metadata<'sellPet'>['metadata'], 'scope'> & { scope: 'pets:sell' } };
}>().not.toExtend<Described>();
expectTypeOf<{
  sellPet: { metadata: Omit<Metadata<'sellPet'>['metadata'], 'quota'> };
}>().not.toExtend<Described>();
