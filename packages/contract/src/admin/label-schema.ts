import { Name } from '../name-schema.ts';
import { holdsToken } from '../token-form.ts';

const noToken = { error: 'expected no token: everybody who sees this could use it' };

/** A name of a key or operator, or an account. Such labels are shown and logged, unlike tokens. */
export const Label = Name.refine((text) => !holdsToken(text), noToken);
