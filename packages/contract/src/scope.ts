/** The scopes, and a description of what each allows. A key has one or both scopes. */
export const scopes: { readonly 'pets:read': string; readonly 'pets:write': string } = {
  'pets:read': 'List animals, get one, and show the rate limits.',
  'pets:write': 'Add an animal.',
};

/** The name of a scope, which determines what a key may do. */
export type Scope = keyof typeof scopes;

/** The names of all scopes, in the order in which a key lists its scopes. */
export const scopeNames: readonly ['pets:read', 'pets:write'] = ['pets:read', 'pets:write'];
