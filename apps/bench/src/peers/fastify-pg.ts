import * as pets from './pets-by-pg.ts';
import { startFastifyPeer } from './start-fastify-peer.ts';

await startFastifyPeer('fastify-pg:', pets);
