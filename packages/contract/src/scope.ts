/** The scopes, and a description of what each allows. An API key has one or both scopes. */
export const scopes: { readonly 'pets:read': string; readonly 'pets:write': string } = {
  'pets:read': 'List animals, get one, and show the rate limits.',
  'pets:write': 'Add an animal.',
};

/** The name of a scope, which determines what an API key may do. */
export type Scope = keyof typeof scopes;

/** The names of all scopes, in the order in which the admin API lists the scopes of an API key. */
export const scopeNames: readonly ['pets:read', 'pets:write'] = ['pets:read', 'pets:write'];
