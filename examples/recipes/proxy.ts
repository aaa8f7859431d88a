// Sends the client's requests through an HTTP proxy, with undici. Install it: npm install undici

import { type AnimalStoreClient, type ClientOptions, createClient } from '@animal-store/client';
import { fetch, ProxyAgent } from 'undici';

export function createProxiedClient(proxyUrl: string, options: ClientOptions): AnimalStoreClient {
  const dispatcher = new ProxyAgent(proxyUrl);
  return createClient({ ...options, fetch: (url, init) => fetch(url, { ...init, dispatcher }) });
}
