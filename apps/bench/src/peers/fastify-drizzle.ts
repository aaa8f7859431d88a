import * as pets from './pets-by-drizzle.ts';
import { startFastifyPeer } from './start-fastify-peer.ts';

await startFastifyPeer('fastify-drizzle:', pets);
