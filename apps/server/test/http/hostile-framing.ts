import { rawRequest } from '../support/raw-http.ts';
import { type HostileCase, type Route, request, withJson } from './hostile-request.ts';

/** Bodies whose length is announced wrongly, or whose chunks are broken. */
export function framings(route: Route): HostileCase[] {
  const body = '{"name":"Framed","categoryId":1}';
  const json = 'Content-Type: application/json';
  const chunked = (text: string, headers: readonly string[] = []) =>
    request(route, {
      headers: [json, 'Transfer-Encoding: chunked', ...headers],
      body: text,
    });
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  const end = { halfClose: true };
  return [
    ['a body shorter than announced', withJson(route, body.slice(0, 10), ['Content-Length: 99'])],
    [
      'a body cut short',
      request(route, { headers: [json, 'Content-Length: 99'], body: body.slice(0, 10) }),
      end,
    ],
    [
      'a body longer than announced',
      request(route, { headers: [json, 'Content-Length: 5'], body }),
    ],
    ['a body without a length', request(route, { headers: [json], body })],
    ['one byte per chunk', chunked(`${[...body].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`)],
    ['no chunk but the last', chunked('0\r\n\r\n')],
    ['a chunk extension', chunked(`${chunk.replace('\r\n', ';a=b;c="d"\r\n')}0\r\n\r\n`)],
    [
      'a huge chunk extension',
      chunked(`${chunk.replace('\r\n', `;${'a'.repeat(20_000)}\r\n`)}0\r\n\r\n`),
    ],
    ['trailers', chunked(`${chunk}0\r\nAuthorization: Bearer x\r\nHost: evil\r\n\r\n`)],
    ['huge trailers', chunked(`${chunk}0\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`)],
    ['a chunk size that is no number', chunked('zz\r\nabc\r\n0\r\n\r\n')],
    ['an empty chunk size', chunked('\r\nabc\r\n0\r\n\r\n')],
    ['a negative chunk size', chunked('-1\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 0x', chunked('0x3\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size beyond 64 bits', chunked('FFFFFFFFFFFFFFFFF\r\nabc\r\n0\r\n\r\n')],
    ['a chunk size of 2^63', chunked('8000000000000000\r\nabc'), end],
    ['a chunk without its line end', chunked('3\r\nabcdef\r\n0\r\n\r\n')],
    ['chunks ended by bare LF', chunked(`${chunk.replaceAll('\r\n', '\n')}0\n\n`)],
    ['a chunk cut short', chunked('20\r\nabc'), end],
    ['no last chunk', chunked(chunk), end],
    ['chunks of 100 kB', chunked(`${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(25)}0\r\n\r\n`)],
    [
      'chunks of too much and then garbage',
      chunked(`${`1000\r\n${' '.repeat(4_096)}\r\n`.repeat(9)}zz`),
    ],
    ['chunked and a length', chunked(`${chunk}0\r\n\r\n`, ['Content-Length: 5'])],
    ['chunked twice', chunked(`${chunk}0\r\n\r\n`, ['Transfer-Encoding: chunked'])],
    ['chunked, in two encodings', chunked(`${chunk}0\r\n\r\n`, ['Transfer-Encoding: gzip'])],
    ['an expectation, and then the body', withJson(route, body, ['Expect: 100-continue'])],
  ];
}

/** Request lines of other protocols and forms, and bytes that are no request. */
export function protocols(route: Route): HostileCase[] {
  const { method, path, token } = route;
  const line = (text: string) => request(route, { line: text });
  const target = (text: string) => line(`${method} ${text} HTTP/1.1`);
  const outside = { outside: true };
  const end = { outside: true, halfClose: true, mayHangUp: true };
  return [
    ['HTTP/1.0', line(`${method} ${path} HTTP/1.0`)],
    [
      'HTTP/1.0 without Host',
      rawRequest({
        line: `${method} ${path} HTTP/1.0`,
        headers: [`Authorization: Bearer ${token}`],
      }),
    ],
    ['HTTP/0.9', Buffer.from(`${method} ${path}\r\n`), end],
    ['HTTP/1.2', line(`${method} ${path} HTTP/1.2`)],
    ['HTTP/2.0', line(`${method} ${path} HTTP/2.0`)],
    ['HTTP/9.9', line(`${method} ${path} HTTP/9.9`)],
    ['HTTP/11.1', line(`${method} ${path} HTTP/11.1`)],
    ['http/1.1', line(`${method} ${path} http/1.1`)],
    ['RTSP/1.0', line(`${method} ${path} RTSP/1.0`)],
    ['no protocol', line(`${method} ${path} `)],
    ['no target', line(`${method}  HTTP/1.1`)],
    ['tabs for spaces', line(`${method}\t${path}\tHTTP/1.1`)],
    ['two spaces', line(`${method}  ${path}  HTTP/1.1`)],
    ['a space in the target', target(`${path} x`)],
    ['a space before the method', line(` ${method} ${path} HTTP/1.1`)],
    ['empty lines before the request', Buffer.concat([Buffer.from('\r\n\r\n'), request(route)])],
    [
      'lines ended by bare LF',
      Buffer.from(request(route).toString('latin1').replaceAll('\r\n', '\n'), 'latin1'),
    ],
    [
      'lines ended by bare CR',
      Buffer.from(request(route).toString('latin1').replaceAll('\r\n', '\r'), 'latin1'),
    ],
    ['the absolute form', target(`http://localhost${path}`)],
    ['the absolute form of a stranger', target(`http://evil.example${path}`)],
    ['the absolute form with a password', target(`http://user:password@localhost${path}`)],
    ['the absolute form of https', target(`https://localhost${path}`)],
    ['the absolute form of ftp', target(`ftp://localhost${path}`)],
    ['the absolute form of an open bracket', target(`http://[${path}`)],
    ['the absolute form of a wrong IPv6 address', target(`http://[::g]${path}`)],
    ['the absolute form with a wrong port', target(`http://localhost:port${path}`)],
    ['the absolute form with a huge port', target(`http://localhost:99999${path}`)],
    ['the absolute form without a host', target(`http://${path}`)],
    ['the absolute form without a path', target('http://localhost'), outside],
    ['the absolute form with only a query', target('http://localhost?x=/v1'), outside],
    ['the absolute form with a wrong %', target(`http://%ff${path}`)],
    ...['//a@[#', '//a@[\xa0', '//a@b:c#', '/\xa0', '//a@b/v1/pets#'].map(
      (text): HostileCase => [`the target ${JSON.stringify(text)}`, target(text), outside],
    ),
    ['the authority form', target('localhost:80'), outside],
    ['the asterisk form', target('*'), outside],
    ['a target without a slash', target(path.slice(1)), outside],
    ['a target of another scheme', target('javascript:alert(1)'), outside],
    ['CONNECT', line('CONNECT localhost:80 HTTP/1.1'), { mayHangUp: true }],
    ['CONNECT to a path', line(`CONNECT ${path} HTTP/1.1`), { mayHangUp: true }],
    [
      'CONNECT, with a tunnel already',
      Buffer.concat([line(`CONNECT ${path} HTTP/1.1`), Buffer.from('SSH-2.0\r\n')]),
      { mayHangUp: true },
    ],
    ['OPTIONS of *', line('OPTIONS * HTTP/1.1'), outside],
    ['a path of 20 kB', target(`${path}/${'a'.repeat(20_000)}`)],
    ['a raw NUL in the path', target(`${path}\0`)],
    ['raw UTF-8 in the path', target(`${path}\xc3\xa9`)],
    ['a preface of HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), outside],
    ['TLS', Buffer.from('1603010200010001fc0303', 'hex'), outside],
    [
      'the PROXY protocol',
      Buffer.concat([Buffer.from('PROXY TCP4 1.1.1.1 2.2.2.2 1 2\r\n'), request(route)]),
    ],
    ['a request cut short', request(route).subarray(0, 40), end],
    ['headers cut short', request(route).subarray(0, -2), { ...end, outside: false }],
    ['nothing', Buffer.alloc(0), end],
    ['one byte', Buffer.from('G'), end],
    ['NUL', Buffer.alloc(100), outside],
    [
      'two requests at once',
      Buffer.from(
        request(route).toString('latin1').replace('Connection: close\r\n', '').repeat(2),
        'latin1',
      ),
      { answers: 2 },
    ],
    [
      'eight requests at once',
      Buffer.from(
        request(route).toString('latin1').replace('Connection: close\r\n', '').repeat(8),
        'latin1',
      ),
      { answers: 8 },
    ],
    ['a request in the body of another', withJson(route, request(route))],
  ];
}
