// This program writes the committed OpenAPI document from the contract.

import { writeFileSync } from 'node:fs';
import { committedFile, publicDocument } from './openapi-documents.ts';

writeFileSync(committedFile, publicDocument.text);
