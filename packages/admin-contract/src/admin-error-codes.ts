import { rateLimitHeaders } from '@animal-store/contract';
import { createErrorSchema, defineErrors, errorCodes } from '@animal-store/contract/internal';
import { planNames } from '@animal-store/contract/plan';

/** The error messages of the admin API that differ from the messages of the public API, by code. */
export const adminErrorMessages = {
  unauthorized: 'The admin token is not valid.',
  forbidden: (role: string) => `This operation needs the role ${role}.`,
  operator_not_found: (operatorId: string) => `There is no operator with the ID ${operatorId}.`,
  operator_not_active: (state: string) => `The operator is ${state}. Create a new operator.`,
  key_not_found: (keyId: string) => `There is no key with the ID ${keyId}.`,
  key_not_active: (state: string) => `The key is ${state}. Create a new key.`,
  account_not_found: (account: string) =>
    `There is no account ${account}: it has neither keys nor a plan.`,
  rate_limit_exceeded: (retryAfterSeconds: number) =>
    `Too many wrong admin tokens came from this address. Retry after ${retryAfterSeconds} s.`,
  parameterUnknown: (known: readonly string[]) =>
    known.length === 0
      ? 'query: expected no parameters'
      : `query: expected only the parameters ${known.join(', ')}`,
  planMissing: `plan: expected one of ${planNames.join(', ')}, because the key has no account with a plan`,
  windowsOfAccount: (account: string) =>
    `account: expected a key with its own limits, but this key shares the limits of the account ${account}. Reset the usage of the account instead.`,
  windowsOfKeys:
    'plan: expected an account with a plan, but this account has none, so each key has its own limits. Reset the usage of a key instead.',
  nameTaken: (name: string) =>
    `name: expected a name that does not look like the name of another active operator, but it looks like ${JSON.stringify(name)}`,
  statementTooSlow:
    'The search or list took too long and was stopped. Add letters to the search text, add a filter, or choose a shorter period, and try again.',
  notUnbanned:
    'Redis does not respond, so the unban failed. If the key is banned, it stays banned. Try again.',
  notCredited: 'Redis does not respond, so the usage was not reset. Try again.',
  quotaMissing: 'quota: expected perMinute and perDay for an Enterprise key, got nothing',
};

/** All error codes of the admin API. The public contract describes the codes that both APIs use. */
export const adminErrorCodes = defineErrors({
  invalid_request: errorCodes.invalid_request,
  invalid_json: errorCodes.invalid_json,
  unauthorized: {
    status: 401,
    when: 'The token is missing, wrong, expired or revoked.',
    advice: "Send an operator's token, or the `ADMIN_TOKEN`, as `Authorization: Bearer <token>`.",
    headers: ['WWW-Authenticate'],
    example: adminErrorMessages.unauthorized,
  },
  forbidden: {
    status: 403,
    when: 'The role of the token does not allow this operation.',
    advice: 'Use a token with the role that the message names.',
    example: adminErrorMessages.forbidden('operator'),
  },
  operator_not_found: {
    status: 404,
    when: 'The operator does not exist.',
    advice: 'Look for the operator in the list of operators.',
    example: adminErrorMessages.operator_not_found('7c9e6679-7425-40de-944b-e07fc1f90ae7'),
  },
  key_not_found: {
    status: 404,
    when: 'The key does not exist.',
    advice: 'Look for the key in the list of keys.',
    example: adminErrorMessages.key_not_found('0f8fad5b-d9cb-469f-a165-70867728950e'),
  },
  account_not_found: {
    status: 404,
    when: 'No key has this account, and the account neither has a plan nor is suspended.',
    advice: 'Look for the account in the list of accounts. To create it, give it a plan.',
    example: adminErrorMessages.account_not_found('C-17'),
  },
  not_found: errorCodes.not_found,
  method_not_allowed: errorCodes.method_not_allowed,
  request_timeout: errorCodes.request_timeout,
  key_not_active: {
    status: 409,
    when: 'The key has expired or was revoked, so it cannot be changed.',
    advice: 'Create a new key.',
    example: adminErrorMessages.key_not_active('revoked'),
  },
  operator_not_active: {
    status: 409,
    when: 'The operator has expired or was revoked, so its token cannot be replaced.',
    advice: 'Create a new operator.',
    example: adminErrorMessages.operator_not_active('revoked'),
  },
  payload_too_large: errorCodes.payload_too_large,
  unsupported_media_type: errorCodes.unsupported_media_type,
  rate_limit_exceeded: {
    status: 429,
    when: 'Too many wrong tokens came from this address. A valid token is still accepted.',
    advice: 'Wait the number of seconds in `Retry-After`.',
    headers: [rateLimitHeaders.retryAfter],
    example: adminErrorMessages.rate_limit_exceeded(30),
  },
  internal_error: errorCodes.internal_error,
  service_unavailable: errorCodes.service_unavailable,
});

export type AdminErrorCode = keyof typeof adminErrorCodes;

export const AdminErrorBody = createErrorSchema(adminErrorCodes, 'key_not_active');
