import { migrationOptions } from '../../src/schema/migration-options.ts';
// `node migrate-embedded.ts DIRECTORY` makes a new embedded database, migrated and empty, and ends.
import '../../src/resolve-drizzle.ts';

const { openEmbedded } = await import('@animal-store/postgres/open-embedded');
const [, , directory = ''] = process.argv;
const { close } = await openEmbedded(directory, migrationOptions);
await close();
