import { migrationOptions } from '../../src/schema/migration-options.ts';
// The program `node migrate-embedded.ts DIRECTORY` creates an empty embedded database with all
// migrations, and exits.
import '../../src/resolve-drizzle.ts';

const { openEmbedded } = await import('@animal-store/postgres/open-embedded');
const [, , directory = ''] = process.argv;
const { close } = await openEmbedded(directory, migrationOptions);
await close();
