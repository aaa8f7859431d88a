import { migrationOptions } from '../../src/schema/migration-options.ts';
// `node migrate-embedded.ts DIRECTORY` creates an empty, migrated embedded database and exits.
import '../../src/resolve-drizzle.ts';

const { openEmbedded } = await import('@animal-store/postgres/open-embedded');
const [, , directory = ''] = process.argv;
const { close } = await openEmbedded(directory, migrationOptions);
await close();
