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

// There is one request for each network, or a single request if there are no networks.
const requests = Array.from({ length: Number(networks) || 1 }, (_, network) => {
  const head = [
    `GET ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    ...(token === '' ? [] : [`Authorization: Bearer ${token}`]),
    ...(Number(networks) > 0 ? [`X-Forwarded-For: 10.0.${network >> 8}.${network & 255}`] : []),
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n`);
});
// If there are fewer connections than networks, each connection sends for several networks. So the
// service has the same work for each request, whatever the number of connections is: it counts the
// first 60 requests of each network in Redis, and refuses all others from its memory.
const step = Math.min(Number(connections), requests.length);

function open(number: number): void {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let next = number;
  let pending = '';
  function send(): void {
    socket.write(requests[next % requests.length] as Buffer);
    next += step;
  }
  socket.setEncoding('latin1');
  socket.on('connect', send);
  socket.on('data', (chunk: string) => {
    pending += chunk;
    const end = pending.indexOf('\r\n\r\n');
    if (end === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(pending)?.[1] ?? 0);
    if (pending.length < end + 4 + length) return;
    if (pending.startsWith('HTTP/1.1 503')) counts.refused += 1;
    else counts.answered += 1;
    pending = '';
    send();
  });
  socket.on('error', () => {});
  socket.on('close', () => setTimeout(open, 100, number));
}

for (let number = 0; number < Number(connections); number += 1) open(number);
setInterval(() => {
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  Object.assign(counts, { answered: 0, refused: 0 });
}, 1_000);
