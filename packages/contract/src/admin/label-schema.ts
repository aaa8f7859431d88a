import { Name } from '../name-schema.ts';
import { holdsToken, noToken } from '../token-form.ts';

/** A name of a key or operator, or an account. Such labels are shown and logged, unlike tokens. */
export const Label = Name.refine((text) => !holdsToken(text), { error: noToken });
