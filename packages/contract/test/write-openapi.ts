// Writes openapi.json anew from the contract.

import { writeFileSync } from 'node:fs';
import { committedFile, openApiText } from './committed-openapi.ts';

writeFileSync(committedFile, openApiText());
