// Writes the committed documents from the contract.

import { writeFileSync } from 'node:fs';
import { committedDocuments, textOf } from './committed-openapi.ts';

for (const document of committedDocuments) writeFileSync(document.file, textOf(document));
