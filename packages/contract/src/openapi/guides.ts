import type { BanPolicy } from '../ban-policy.ts';
import { errorStatus } from '../error.ts';
import { pageLimit } from '../page-limit.ts';
import { planNames, plans } from '../plan.ts';
import { windowSeconds } from '../rate-limit.ts';
import { deprecations } from '../routes.ts';
import { errorGuide } from './error-guide.ts';

const count = new Intl.NumberFormat('en');
const longDate = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });

/** What the guides tell of a service that its operators may have set otherwise. */
export interface GuideNumbers {
  /** What an address may send in a minute without a valid key. */
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
}

/**
 * The guides of the reference page, in Markdown. They stand beside the document and not in it:
 * generators copy its description into every file that they write.
 *
 * @param baseUrl what the examples call, ending in `/v1`.
 */
export function createGuides(baseUrl: string, numbers: GuideNumbers): string {
  return [
    authentication(baseUrl, numbers),
    rateLimits(numbers),
    pagination(baseUrl),
    idempotency(baseUrl),
    errors(),
    integers,
    versioning,
    deprecation(),
  ].join('\n');
}

const authentication = (baseUrl: string, { addressPerMinute }: GuideNumbers) => `
# Authentication

Every request to the API needs an API key, which the operators of the store issue. Send it as a bearer token, in this header and nowhere else:

\`\`\`
Authorization: Bearer <API_KEY>
\`\`\`

\`\`\`shell
curl -i "${baseUrl}/pets?limit=3" \\
  -H "Authorization: Bearer $API_KEY"
\`\`\`

A key looks like \`ast_\` and 36 letters and digits. Keep it on your server: whoever reads a web page can read the keys in it. Without a valid key the answer is 401, and the request counts against your address: ${count.format(addressPerMinute)} a minute, whoever sends them.
`;

const rateLimits = ({ banPolicy }: GuideNumbers) => `
# Rate limits

Each key has two quotas by its plan: one for a minute, one for a day. A window opens with its first request and lasts ${count.format(windowSeconds.minute)} or ${count.format(windowSeconds.day)} seconds. \`HEAD\` is answered as \`GET\` is, without the body, and costs the same.

| Plan | Requests per minute | Requests per day |
|---|--:|--:|
${planNames.map(planRow).join('\n')}

Every response tells how you stand:

| Header | Meaning |
|---|---|
| \`X-RateLimit-Limit\` | The limit that applies: that of the window with the least left |
| \`X-RateLimit-Remaining\` | Requests left in that window |
| \`X-RateLimit-Reset\` | When it resets, as a Unix timestamp in seconds |
| \`RateLimit-Policy\`, \`RateLimit\` | Both windows, as the IETF draft has it |

A request beyond the limit gets **429** with \`Retry-After\`, in seconds, and costs nothing. Wait that long and the next request is admitted. With several workers on one key, back off exponentially and add some randomness, so that they do not all come back at once.

${bans(banPolicy)}`;

function bans(policy: BanPolicy): string {
  if (policy.minStrikes === 0) return '';
  const { graceMs, minStrikes, strikeShare, strikeWindowSeconds } = policy;
  const grace =
    graceMs === 0 ? '' : `, not counting those within ${duration(graceMs / 1_000)} of the first,`;
  const share = `${count.format(strikeShare * 100)} % of its limit of a minute`;
  return `**Bans.** A key that goes on sending after a 429 is banned for a while: more than ${share} (and more than ${count.format(minStrikes)}) refused requests within ${duration(strikeWindowSeconds)}${grace} ban it for ${duration(policy.banSeconds)}. Each further ban within ${duration(policy.memorySeconds)} lasts twice as long, up to ${duration(policy.maxBanSeconds)}. The message of the 429 warns before that. During a ban every answer is 429 with the code \`key_temporarily_banned\`; asking again does not make it longer.
`;
}

/** A time in the greatest unit that it is a whole number of. */
function duration(seconds: number): string {
  const units = [
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? units[2];
  const amount = seconds / size;
  return `${count.format(amount)} ${unit}${amount === 1 ? '' : 's'}`;
}

function planRow(name: (typeof planNames)[number]): string {
  const quota = plans[name];
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return quota === undefined
    ? `| ${title} | by agreement | by agreement |`
    : `| ${title} | ${count.format(quota.perMinute)} | ${count.format(quota.perDay)} |`;
}

const pagination = (baseUrl: string) => `
# Pagination

A list is a bare JSON array of at most ${pageLimit.default} animals, or \`limit\` (${pageLimit.min} to ${pageLimit.max}). While there are more, the answer carries the address of the next page:

\`\`\`
Link: <${baseUrl}/pets?limit=${pageLimit.default}&cursor=…>; rel="next"
\`\`\`

Follow it as it stands, with the same key, until there is none. The cursor in it is opaque and belongs to its \`status\` filter; with another one it is refused. Pages are by \`id\`, so they neither repeat nor skip an animal while others are added.

\`\`\`js
let url = '${baseUrl}/pets?limit=100';
while (url) {
  const response = await fetch(url, {
    headers: { Authorization: \`Bearer \${process.env.API_KEY}\` },
  });
  if (!response.ok) throw new Error(await response.text());
  console.log(await response.json());
  url = response.headers.get('Link')?.match(/<([^>]*)>; rel="next"/)?.[1];
}
\`\`\`
`;

const idempotency = (baseUrl: string) => `
# Idempotency

When the answer to a POST is lost, you cannot know whether the animal was added. Send an \`Idempotency-Key\` of your own, new for each animal, and repeat the request with the same key and body:

\`\`\`shell
curl -i "${baseUrl}/pets" \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -H "Idempotency-Key: order-4711-mia" \\
  -d '{"name":"Mia","categoryId":3}'
\`\`\`

For 24 hours a repetition gets the first answer again, with \`Idempotent-Replayed: true\`, and adds nothing. The same key with another body is 422; while the first request is in progress, the answer is 409 with \`Retry-After\`. A key has 1 to 255 visible ASCII characters; a UUID is a good one.
`;

const errors = () => `
# Errors

Every error has the same body, and the same \`status\` as its response:

\`\`\`json
{"code":"invalid_request","message":"limit: expected one integer from 1 to 100, got \\"500\\"","status":400}
\`\`\`

Decide by \`code\`, or by \`status\` where you do not know the code: within v1 codes are only added. The message is for people and may change. Quote the \`X-Request-Id\` of the response when you report a problem; you may also send one of your own.

${Object.entries(errorGuide)
  .map(
    ([code, { when, advice }]) =>
      `- \`${code}\` (${errorStatus[code as keyof typeof errorStatus]}): ${when} *${advice}*`,
  )
  .join('\n')}
`;

const integers = `
# Integers

\`categoryId\` may be any 64-bit integer. A double, which is what JavaScript and some JSON libraries read numbers into, is exact only up to 2^53 − 1: read it as a 64-bit integer. An \`id\` is never greater than 2^53 − 1.
`;

const versioning = `
# Versioning

The version is in the path, \`/v1\`. Within v1 changes are additive: new operations, new optional parameters, new members of answers, new headers and new error codes. Ignore what you do not know. Anything else becomes \`/v2\`, beside v1.

Operations carry a stability mark: \`stable\` ones follow this rule; \`experimental\` and \`beta\` ones may change or go at any time.
`;

const deprecation = () => `
# Deprecation

An operation that is going away is marked in this reference, and says so in every answer:

\`\`\`
Deprecation: @${deprecations.getPet.deprecatedAt.getTime() / 1000}
Sunset: ${deprecations.getPet.sunsetAt.toUTCString()}
Link: <…>; rel="deprecation", <…>; rel="successor-version"
\`\`\`

\`Deprecation\` is when it was deprecated, \`Sunset\` when it ends, and the links lead here and to what takes its place. Until then it works as ever.

| Operation | Ends | Use instead |
|---|---|---|
| \`GET /pets/{petId}\` | ${longDate.format(deprecations.getPet.sunsetAt)} | \`GET /pets\` with a \`status\` filter |
`;
