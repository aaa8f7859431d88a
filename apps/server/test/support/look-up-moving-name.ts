import dns from 'node:dns';
import { readFileSync } from 'node:fs';

/**
 * Makes a host name resolve to the address in a file, or fail if the file is empty. The host name
 * is defined in `moving-name.ts`, and all other names resolve as usual. A server loads the module
 * with `NODE_OPTIONS=--import=file:///…/look-up-moving-name.ts?file=/tmp/…`.
 */
const file = new URL(import.meta.url).searchParams.get('file') ?? '';

const lookUp = dns.lookup as (name: string, ...rest: unknown[]) => void;
Object.assign(dns, {
  lookup(name: string, ...rest: unknown[]) {
    const address = name === 'postgres.test' ? readFileSync(file, 'utf8') : name;
    if (address !== '') return lookUp(address, ...rest);
    const answer = rest.at(-1) as (error: Error) => void;
    const error = new Error('getaddrinfo EAI_AGAIN postgres.test');
    setImmediate(answer, Object.assign(error, { code: 'EAI_AGAIN' }));
  },
});
