/** What each scope allows. A key has one or both. */
export const scopes: { readonly 'pets:read': string; readonly 'pets:write': string } = {
  'pets:read': 'List animals, get one, and show the rate limits.',
  'pets:write': 'Add an animal.',
};

/** What a key may do. */
export type Scope = keyof typeof scopes;

/** The names of the scopes. The scopes of a key are in this order. */
export const scopeNames: readonly ['pets:read', 'pets:write'] = ['pets:read', 'pets:write'];
