import { type Scope, scopeNames, scopes } from '@animal-store/contract';
import { z } from 'zod';
import { oneOf } from './admin-fields.ts';

const fault = { error: `expected one or more of ${scopeNames.join(', ')}, each once` };

const ScopeName = oneOf(scopeNames).meta({
  id: 'Scope',
  description: `The scopes of a key. ${scopeNames.map((name) => `\`${name}\`: ${scopes[name]}`).join(' ')}`,
});

export const KeyScopes = z.array(ScopeName).min(1).meta({ uniqueItems: true });

const inOrder = (chosen: readonly Scope[]) => scopeNames.filter((name) => chosen.includes(name));

/**
 * The schema of the new scopes of an API key. It sorts the scopes, so that the same scopes in
 * another order do not count as a change.
 */
export const GivenScopes = z
  .array(ScopeName, fault)
  .min(1, fault)
  .refine((chosen) => new Set(chosen).size === chosen.length, fault)
  .overwrite(inOrder)
  .meta({ uniqueItems: true, examples: [['pets:read']] });
