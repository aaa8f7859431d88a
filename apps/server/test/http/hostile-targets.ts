import { METHODS } from 'node:http';
import { type HostileCase, type Route, request } from './hostile-request.ts';

/** Every method that Node knows, and some that nobody does. */
export function methods(route: Route): HostileCase[] {
  const invented = ['FOO', 'get', 'GETT', 'G@T', 'G'.repeat(5_000), 'GET\0', '', '%47ET', '<GET>'];
  return [...METHODS, ...invented].map((method) => [
    `the method ${JSON.stringify(method.slice(0, 20))}`,
    request({ ...route, method }),
    { mayHangUp: method === 'CONNECT' },
  ]);
}

/** Paths that begin as that of the route. */
export function paths(route: Route): HostileCase[] {
  const suffixes = [
    '/',
    '//',
    '/%ff',
    '/%00',
    '/%',
    '/%2',
    '/%zz',
    '/%c0%80',
    '/%ed%a0%80',
    '/%2e%2e',
    '/..',
    '/../../../etc/passwd',
    '%2f1',
    '/\\',
    '/%5c',
    ';a=b',
    '.json',
    '%20',
    '%0d%0aX-Injected:%20yes',
    "/'%20or%201=1--",
    '/__proto__',
    '/constructor',
    '/9007199254740993',
    '/9223372036854775808',
    '/1e400',
    '/-0',
    '/NaN',
    `/${'9'.repeat(10_000)}`,
    `/${'a/'.repeat(4_000)}`,
    '/<script>alert(1)</script>',
    '/%3Cscript%3E',
    '/{petId}',
    '/:petId',
    '/*',
    '#fragment',
    '/@[',
    '/\xf0\x9f\x90\x95',
    '/\xff',
  ];
  return [
    ...suffixes.map((suffix): HostileCase => {
      const path = route.path + suffix;
      return [`the path …${JSON.stringify(suffix.slice(0, 40))}`, request({ ...route, path })];
    }),
    ['// before the path', request({ ...route, path: `/${route.path}` }), { outside: true }],
    ['// within the path', request({ ...route, path: route.path.replace('/v1/', '/v1//') })],
    [
      '%76 for v',
      request({ ...route, path: route.path.replace('/v1', '/%761') }),
      { outside: true },
    ],
    ['/V1', request({ ...route, path: route.path.replace('/v1', '/V1') }), { outside: true }],
    ['.. out of /v1', request({ ...route, path: route.path.replace('/v1', '/v1/..') })],
    ['.. into /v1', request({ ...route, path: `/x/..${route.path}` }), { outside: true }],
  ];
}

/** Queries of the route. */
export function queries(route: Route): HostileCase[] {
  const texts = [
    '',
    '?',
    '&&&&',
    'limit',
    'limit=',
    '=1',
    '=',
    'limit=0',
    'limit=-1',
    'limit=101',
    'limit=9007199254740993',
    'limit=9223372036854775808',
    'limit=1e400',
    'limit=NaN',
    'limit=Infinity',
    'limit=1.5',
    'limit=0x1',
    'limit=%ff',
    'limit=%00',
    'limit=%',
    'limit=1&limit=2',
    'limit[]=1',
    'limit[$gt]=0',
    'limit[__proto__]=1',
    '%ff=%ff',
    '%00=%00',
    '__proto__=x',
    '__proto__[limit]=1',
    '__proto__.limit=1',
    'constructor=x',
    'constructor[prototype][limit]=1',
    'toString=x&hasOwnProperty=y&valueOf=z',
    'status=__proto__',
    'status=toString',
    'status=sold%00',
    'status=sold&status=sold',
    'status[]=sold',
    'status[$ne]=sold',
    "status=sold'%20or%20'1'='1",
    'limit=1;drop%20table%20pets',
    "cursor='%20or%201=1--",
    'cursor=',
    'cursor=%00',
    'cursor=%ff%fe',
    'cursor=__proto__',
    'cursor=..%2f..%2f',
    'cursor=a&cursor=b',
    'cursor[]=a',
    `cursor=${'A'.repeat(8_000)}`,
    `limit=${'9'.repeat(8_000)}`,
    `status=${'%F0%9F%90%95'.repeat(600)}`,
    `x=${'a'.repeat(8_000)}`,
    `${'a&'.repeat(4_000)}limit=0`,
    `${'limit=1&'.repeat(1_000)}limit=1`,
    `a${'[b]'.repeat(2_000)}=c`,
    'limit=1%0d%0aSet-Cookie:%20a=b',
    'callback=alert',
    'format=html',
    '_method=DELETE',
    'limit=%D9%A1',
    'limit=+1',
    'limit=1#limit=2',
    '"<>^`{|}\\',
    '\xff\xfe',
    '%u0031',
  ];
  return texts.map((query) => [
    `the query ${JSON.stringify(query.slice(0, 40))}`,
    request({ ...route, path: `${route.path}?${query}` }),
  ]);
}
