import {
  type BanPolicy,
  deprecations,
  errorCodes,
  errorMessages,
  type PlanName,
  pageLimit,
  planNames,
  plans,
  rateLimitHeaders,
  rateLimitStatusPerMinute,
  windowSeconds,
} from '@animal-store/contract';

/** The settings of the service that the guides mention. */
export interface DocsNumbers {
  /** The number of requests per minute that a network may send without a valid API key. */
  readonly addressPerMinute: number;
  readonly banPolicy: BanPolicy;
}

/**
 * Creates a function that replaces placeholders such as `{{baseUrl}}` by their values. The values
 * come from the settings of the service and from the contract.
 *
 * @param baseUrl the base URL in the examples, ending in `/v1`.
 */
export function createGuideValues(
  baseUrl: string,
  { addressPerMinute, banPolicy }: DocsNumbers,
  paths: { readonly windowsPicture: string },
): (text: string) => string {
  const { deprecatedAt, sunsetAt } = deprecations.getPet;
  const values: Readonly<Record<string, string>> = {
    ...paths,
    baseUrl,
    openApiUrl: new URL('/openapi.json', baseUrl).href,
    addressPerMinute: withCommas(addressPerMinute),
    minuteSeconds: withCommas(windowSeconds.minute),
    daySeconds: withCommas(windowSeconds.day),
    statusPerMinute: String(rateLimitStatusPerMinute),
    plans: planNames.map(planRow).join('\n'),
    bans: bans(banPolicy),
    minLimit: String(pageLimit.min),
    maxLimit: String(pageLimit.max),
    defaultLimit: String(pageLimit.default),
    repeatable: repeatable(),
    petNotFound: errorMessages.pet_not_found(7),
    deprecatedAt: String(deprecatedAt.getTime() / 1000),
    sunset: sunsetAt.toUTCString(),
    sunsetDate: sunsetAt.toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' }),
  };
  return function fillIn(text) {
    return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => {
      const value = values[name];
      if (value === undefined)
        throw new TypeError(
          `A guide contains the unknown placeholder {{${name}}}. Add its value in apps/docs/src/guide-values.ts.`,
        );
      return value;
    });
  };
}

function withCommas(count: number): string {
  return count.toLocaleString('en');
}

function planRow(name: PlanName): string {
  const quota = plans[name];
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  return quota === undefined
    ? `| ${title} | by agreement | by agreement |`
    : `| ${title} | ${withCommas(quota.perMinute)} | ${withCommas(quota.perDay)} |`;
}

/** Lists the error codes whose responses have a `Retry-After` header. */
function repeatable(): string {
  return Object.entries(errorCodes)
    .filter(([, { headers }]) => headers?.includes(rateLimitHeaders.retryAfter))
    .map(([code, { status }]) => `${status} [\`${code}\`](/docs#error-${code})`)
    .join(', ');
}

function bans(policy: BanPolicy): string {
  if (policy.minStrikes === 0) return '';
  const { graceMs, minStrikes, strikeShare, strikeWindowSeconds } = policy;
  const grace =
    graceMs === 0
      ? ''
      : ` Requests within ${duration(graceMs / 1_000)} after the first denial do not count.`;
  const share = `${withCommas(strikeShare * 100)} % of the key's limit per minute`;
  return `## Bans

An API key that keeps sending requests after a 429 is temporarily banned. A key is banned when more than ${withCommas(minStrikes)} of its requests are denied within ${duration(strikeWindowSeconds)}. The number of denied requests must also be above ${share}.${grace} The first ban lasts ${duration(policy.banSeconds)}. Each further ban within ${duration(policy.memorySeconds)} lasts twice as long, up to ${duration(policy.maxBanSeconds)}.

Before a ban, the message of the 429 and the field \`warned\` of \`GET /rate-limit\` warn you. During a ban, every request except \`GET /rate-limit\` gets 429 [\`key_temporarily_banned\`](/docs#error-key_temporarily_banned). \`Retry-After\` and \`X-RateLimit-Reset\` contain the end of the ban. Further requests do not make the ban longer. The operators can end a ban.
`;
}

/** Formats a duration in the largest unit that divides it evenly, such as "2 hours". */
function duration(seconds: number): string {
  const units = [
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? units[2];
  const format = new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' });
  return format.format(seconds / size);
}
