// Generates the client reference from the built client, and writes it into the guides.

import { writeFileSync } from 'node:fs';
import { clientReference } from './client-reference.ts';

for (const [file, text] of Object.entries(await clientReference())) writeFileSync(file, text);
