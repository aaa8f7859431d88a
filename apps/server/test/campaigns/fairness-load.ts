// This program is a caller that does not back off. It keeps many connections busy: each connection
// sends its next request as soon as it has a response.
//
//     node fairness-load.ts ORIGIN CONNECTIONS TOKEN NETWORKS [PATH]
//
// Each second, the program prints the number of responses and of 503s. The campaigns (long tests)
// `fairness` and `ops-floods` run the program as a separate process, so that sending does not delay
// the measurement.

import { connect } from 'node:net';

const [origin = '', connections, token = '', networks, path = '/v1/pets?limit=20'] =
  process.argv.slice(2);
const { hostname, port } = new URL(origin);
const counts = { answered: 0, refused: 0 };

function open(number: number): void {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const network = Number(networks) > 0 ? number % Number(networks) : undefined;
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(network === undefined ? [] : [`X-Forwarded-For: 10.0.${network >> 8}.${network & 255}`]),
  ];
  const request = Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
  let pending = '';
  socket.setEncoding('latin1');
  socket.on('connect', () => socket.write(request));
  socket.on('data', (chunk: string) => {
    pending += chunk;
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    if (pending.startsWith('HTTP/1.1 503')) counts.refused += 1;
    else counts.answered += 1;
    pending = '';
    socket.write(request);
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(open, 100, number));
}

for (let number = 0; number < Number(connections); number += 1) open(number);
setInterval(() => {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  Object.assign(counts, { answered: 0, refused: 0 });
}, 1_000);
