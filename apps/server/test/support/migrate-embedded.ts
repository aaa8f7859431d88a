// `node migrate-embedded.ts DIRECTORY` makes a new embedded database, migrated and empty, and ends.
import '../../src/resolve-drizzle.ts';

const { openEmbedded } = await import('../../src/database/open-embedded.ts');
const [, , directory = ''] = process.argv;
const { close } = await openEmbedded(directory);
await close();
