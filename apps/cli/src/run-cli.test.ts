import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { adminContract } from '@animal-store/admin-contract';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { cli } from '../test/run-in-process.ts';

/**
 * The response of the test server to every request. With the status 0, the server closes the
 * connection without a response.
 */
let answer: { status: number; type: string; body: string; next?: string };
let received: string[];
let OPS_URL: string;

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.parse('2026-11-21T12:00:00Z'), toFake: ['Date'] });
  const server = createServer(async (req, res) => {
    const target = req.url?.replaceAll('%3A', ':').replace('/admin/v1/', '/');
    received.push(`${req.method} ${target} ${await text(req)}`.trim());
    if (answer.status === 0) {
      req.socket.destroy();
      return;
    }
    const isLast = answer.next === undefined || target?.includes('cursor');
    if (!isLast) res.setHeader('Link', `<${answer.next}>; rel="next"`);
    res.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  OPS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return async () => {
    vi.useRealTimers();
    await server[Symbol.asyncDispose]();
  };
});
beforeEach(() => {
  received = [];
});

const run = (line: string) =>
  cli(line.split(' '), { OPS_URL, ADMIN_TOKEN: 'an-admin-token-for-tests' });

function answerWith(body: unknown, status = 200, next?: string) {
  answer = { status, type: 'application/json', body: JSON.stringify(body), ...(next && { next }) };
}

const id = '00000000-0000-4000-8000-000000000000';

// The API key is an example from the contract.
const examples = adminContract.listKeys.responses[200].meta()?.['examples'];
const [[key]] = examples as [[object]];

/**
 * Commands of the CLI, with the requests that each command must send. The lines with requests are
 * indented.
 */
const requestsOf = `
keys create --plan free
  POST /keys {"name":"created by npm run keys at 2026-11-21 12:00Z","plan":"free"}
keys create --plan enterprise --per-minute 7 --per-day 8 --name acme --reason why
  POST /keys?reason=why {"name":"acme","plan":"enterprise","quota":{"perMinute":7,"perDay":8}}
keys create --account C-17 --read-only
  GET /accounts?anyCaseOf=C-17
  POST /keys {"name":"created by npm run keys at 2026-11-21 12:00Z","account":"C-17","scopes":["pets:read"]}
keys create --plan pro --scopes pets:write,pets:read --expires 24h
  POST /keys {"name":"created by npm run keys at 2026-11-21 12:00Z","plan":"pro","scopes":["pets:write","pets:read"],"expiresAt":"2026-11-22T12:00:00.000Z"}
keys list --plan pro --state active --name a --account C-17 --search b --banned --sort -name --limit 7
  GET /keys?limit=7&plan=pro&state=active&name=a&account=C-17&search=b&banned=true&sort=-name
keys list --token-prefix ast_0000 --deprecated-within 30d --unused-for 90d --near-limit
  GET /keys?tokenPrefix=ast_0000&deprecatedWithinDays=30&nearLimit=true&unusedForDays=90&limit=100
keys usage ${id}
  GET /keys/${id}/usage?bucket=hour
keys usage ${id} --since 60m
  GET /keys/${id}/usage?bucket=minute&from=2026-11-21T11:00:00.000Z
keys usage ${id} --since 49h
  GET /keys/${id}/usage?bucket=day&from=2026-11-19T11:00:00.000Z
keys usage ${id} --since 7d --until 2026-11-15T01:00:00+01:00
  GET /keys/${id}/usage?bucket=hour&from=2026-11-14T12:00:00.000Z&to=2026-11-15T00:00:00.000Z
keys update ${id} --name a --account C-17 --no-expires
  GET /accounts?anyCaseOf=C-17
  PATCH /keys/${id} {"name":"a","account":"C-17","expiresAt":null}
keys update ${id} --no-name --no-account --expires 1d --reason why
  PATCH /keys/${id}?reason=why {"name":null,"account":null,"expiresAt":"2026-11-22T12:00:00.000Z"}
keys rotate ${id} --grace 24h
  POST /keys/${id}/rotate {"graceSeconds":86400}
keys suspend ${id} --reason why
  POST /keys/${id}/suspend?reason=why
keys credit ${id}
  POST /keys/${id}/credit
accounts list --plan pro --suspended --search c --sort -denials
  GET /accounts?plan=pro&suspended=true&search=c&sort=-denials&limit=100
accounts show a/b
  GET /accounts/a%2Fb
accounts set-plan C-17 none
  GET /accounts?anyCaseOf=C-17
  PUT /accounts/C-17 {"plan":null}
accounts set-plan C-17 enterprise --per-minute 7 --per-day 8
  GET /accounts?anyCaseOf=C-17
  PUT /accounts/C-17 {"plan":"enterprise","quota":{"perMinute":7,"perDay":8}}
operators create --name Ann --role owner --expires 1d
  POST /operators {"name":"Ann","role":"owner","expiresAt":"2026-11-22T12:00:00.000Z"}
operators list --search aso_0000
  GET /operators?search=aso_0000
operators sessions ${id}
  GET /operators/${id}/sessions
operators log-out ${id}
  DELETE /operators/${id}/sessions
audit --key ${id} --since 7d --until 1d --action key.revoked --actor admin_token --limit 1000
  GET /audit?limit=100&keyId=${id}&actor=admin_token&action=key.revoked&from=2026-11-14T12:00:00.000Z&to=2026-11-20T12:00:00.000Z
usage top --since 1d --plan pro --account C-17 --limit 5
  GET /usage?groupBy=key&from=2026-11-20T12:00:00.000Z&plan=pro&account=C-17&limit=5
`;

test.each(requestsOf.trim().split(/\n(?! )/))(
  'the CLI command in the first line sends the requests in the following lines: %s',
  async (rows) => {
    const [line = '', ...requests] = rows.split('\n  ');
    // The test compares only the requests. If a command sends several requests, the last response
    // has the wrong type, so the CLI prints an error after it has sent them.
    answerWith(requests.length > 1 ? [] : {});
    await run(line);
    expect(received).toEqual(requests);
  },
);

test.each([
  ['keys list --json', 2, ['limit=100', 'limit=100&cursor=c1']],
  ['keys list --json --limit 2', 2, ['limit=2', 'limit=1&cursor=c1']],
  ['keys list --json --limit 1', 1, ['limit=1']],
])(
  'the command %s prints %i of two API keys when the service returns one API key on each page',
  async (line, count, queries) => {
    answerWith([key], 200, '/admin/v1/keys?cursor=c1');
    const { code, stdout } = await run(line);
    expect([code, JSON.parse(stdout).length]).toEqual([0, count]);
    expect(received).toEqual(queries.map((query) => `GET /keys?${query}`));
  },
);

const plan = 'keys create --plan';
test.each([
  ['keys create', '--plan: expected one of free, pro, business, enterprise'],
  [
    `${plan} enterprise`,
    '--per-minute and --per-day: expected both, because this plan has no fixed limits',
  ],
  [`${plan} enterprise --per-minute 5`, '--per-day: expected an integer from 1'],
  [`${plan} pro --per-minute 5 --per-day 6`, 'only Enterprise keys have their own limits'],
  [`${plan} free --expires soon`, 'such as 90d or 24h'],
  [`${plan} free --expires 2027-02-30T00:00:00Z`, 'such as 90d or 24h'],
  [`${plan} free --expires 2020-01-01T00:00:00Z`, '--expires: expected a time in the future'],
  [`${plan} free --scopes pets:sell`, '--scopes: expected'],
  [`${plan} free --read-only --scopes pets:write`, "'--read-only' cannot be used with option"],
  ['keys show', "missing required argument 'id'"],
  [
    `keys update ${id}`,
    'expected one or more of --name, --account, --expires, --plan, --per-minute, --per-day, --scopes\n',
  ],
  [`keys rotate ${id} --grace 31d`, '--grace: expected an integer from 0 to 2592000'],
  [`keys rotate ${id} --grace -1`, 'Expected 0, or a number with a unit (s, m, h or d)'],
  [`keys revoke ${id} ${id}`, 'too many arguments'],
  ['keys list --unused-for 90', 'Expected a number of days, such as 90d'],
  [`${plan} enterprise --per-minute 0x10 --per-day 9`, 'Expected a whole number'],
  [`${plan} enterprise --per-minute 1e3 --per-day 9`, 'Expected a whole number'],
  [`${plan} enterprise --per-minute +7 --per-day 9`, 'Expected a whole number'],
  ['usage top --since 2027-1-31T00:00Z', 'Expected a number with a unit (s, m, h or d)'],
  ['usage top --since 1h --until 2h', '--since: expected a time before the end of the period'],
  ['audit --since 1h --until 2h', '--since: expected a time before the end of the period'],
  ['keys list --limit 0', 'Expected a whole number of at least 1'],
  ['keys list --everything', "unknown option '--everything'"],
  ['keys list --url localhost', 'Expected an origin'],
  ['keys destroy', "unknown command 'destroy'"],
  [
    'accounts set-plan C-17 none --per-minute 5 --per-day 6',
    'only Enterprise keys have their own limits',
  ],
  ['accounts set-plan C-17 gold', 'Allowed choices are free, pro, business, enterprise, none'],
])(
  'for the wrong command "%s", the CLI prints an error and exits with code 2',
  async (line, message) => {
    const { code, stdout, stderr } = await run(line);
    expect({ code, stdout, received }).toEqual({ code: 2, stdout: '', received: [] });
    expect(stderr).toContain(message);
    expect(stderr).toMatch(/^error: .*\nAdd --help to see the options of the command\.\n$/);
  },
);

test.each([
  [['--help'], 0, 'stdout'],
  [[], 2, 'stderr'],
] as const)(
  'the CLI lists all command groups and their purpose for the arguments %j',
  async (args, code, stream) => {
    const result = await cli(args, {});
    expect(result).toEqual({ code, stdout: '', stderr: '', [stream]: expect.any(String) });
    for (const group of ['keys', 'accounts', 'operators', 'audit', 'usage']) {
      expect(result[stream]).toMatch(new RegExp(`^  ${group} +[A-Z].*\\.$`, 'm'));
    }
  },
);

test('the CLI prints the help of a command group when no command is given, and lists all command groups when the group is unknown', async () => {
  const usage = expect.stringMatching(/^Usage: npm run keys -- .*\nExit codes: .*\n$/s);
  expect(await run('keys')).toEqual({ code: 2, stdout: '', stderr: usage });
  const { code, stderr } = await run('pets');
  expect(code).toBe(2);
  expect(stderr).toBe(
    "error: unknown group of commands 'pets', expected one of keys, accounts, operators, audit, usage\n",
  );
});

test('the option --help prints the description of the command from the contract', async () => {
  const { code, stdout } = await run('keys rotate --help');
  expect(code).toBe(0);
  const flat = stdout.replaceAll(/\s+/g, ' ');
  expect(flat).toMatch(/^Usage: npm run keys -- rotate \[options\] <id> Creates a new token/);
  expect(flat).toContain('--grace <duration> How long the earlier tokens stay valid');
  expect(flat).toContain(
    '--reason <text> The reason for the change, which the audit log shows. (such as Contract 2026-118)',
  );
  expect(flat).not.toContain('`');
});

test('the option --help of a command with --expires says by which clock a duration is counted', async () => {
  const { stdout } = await run('keys create --help');
  expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
    /--expires <when> [^(]*\(90d, 24h, … by the clock of this machine, or 2027-01-31T00:00:00Z\)/,
  );
});

const notOurs = 'error: The program at';

test.each([
  [200, 'text/html', '<h1>Welcome</h1>', notOurs],
  [200, 'application/json', '[{"id":', notOurs],
  [200, 'application/json', '{"status":"ok"}', notOurs],
  [200, 'application/json', JSON.stringify([{ ...key, tokens: undefined }]), notOurs],
  [204, 'text/html', '', 'error: The server responded with the status 204 and'],
  [502, 'text/html', '', 'error: The server responded with the status 502 and'],
])(
  'the CLI fails with a one-line error when a program other than the service responds with status %i, content type %s and body %s',
  async (status, type, body, start) => {
    answer = { status, type, body };
    const { code, stdout, stderr } = await run('keys list');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.startsWith(start)).toBe(true);
    expect(stderr).toMatch(
      /^[^\n]+ Check that the address belongs to the ops listener of the service, such as http:\/\/127\.0\.0\.1:3001\.\n$/,
    );
  },
);

const evil = 'acme\u202E\u001B[2J\u009B1m\u2028';
const shown = 'acme\\u202e\\u001b[2J\\u009b1m\\u2028';

test('the CLI escapes control and right-to-left characters in names, both in tables and in JSON', async () => {
  // A newer version of the service may add properties, such as `region`, that this version of the
  // CLI does not know.
  const body = [
    { ...key, name: evil, account: evil, region: 'eu' },
    { ...key, name: 'short' },
  ];
  answerWith(body);
  const [header = '', first = '', second = ''] = (await run('keys list')).stdout.split('\n');
  expect(first).toContain(`  ${shown}  ${shown}  `);
  const column = header.indexOf('PLAN');
  expect([first, second].map((line) => line.indexOf('pro '))).toEqual([column, column]);
  const { stdout } = await run('keys list --json');
  expect(stdout).toContain(`"name": "${shown}"`);
  expect(JSON.parse(stdout)).toEqual(body);
  answerWith({ code: 'invalid_request', message: `name: got ${evil}`, status: 400 }, 400);
  const stderr = `error: --name: got ${shown}\n`;
  expect(await run('keys list')).toEqual({ code: 1, stdout: '', stderr });
});

// Regression: the message contained the names of the API, `from` and `to`.
test('the CLI replaces the names of properties in an error of the service by the names of its options', async () => {
  const message =
    'from: expected a time before now, because the query has no "to"; bucket: expected a larger unit, got from';
  answerWith({ code: 'invalid_request', message, status: 400 }, 400);
  expect(await run(`keys usage ${id} --since 2027-01-01T00:00:00Z`)).toMatchObject({
    code: 1,
    stderr:
      'error: --since: expected a time before now, because the query has no --until; --bucket: expected a larger unit, got from\n',
  });
});

// Regression: the request went to another path, and the CLI said that there is no admin API.
test.each(['.', '..'])('the CLI sends no request for the account %s', async (account) => {
  expect(await run(`accounts show ${account}`)).toMatchObject({
    code: 1,
    stderr: 'error: account: expected a name other than "." and ".."\n',
  });
  expect(received).toEqual([]);
});

// Regression: the CLI said that no server responds, although the server had created the API key. A
// user who ran the command again got a second key.
test('the CLI says that a change may have been made when its response was lost, but not for a command that only reads', async () => {
  answer = { status: 0, type: '', body: '' };
  expect(await run('keys create --plan free')).toMatchObject({
    code: 1,
    stderr: `error: The response of ${OPS_URL} was lost: ECONNRESET. The change may have been made. Check its result, for example with "npm run audit", before you run the command again.\n`,
  });
  expect(received).toHaveLength(1);
  expect((await run('keys list')).stderr).toContain(
    `No server responds at ${OPS_URL}: ECONNRESET.`,
  );
});
