// Writes the committed reference of the client from its build.

import { writeFileSync } from 'node:fs';
import { clientReference } from './client-reference.ts';

for (const [file, text] of Object.entries(await clientReference())) writeFileSync(file, text);
