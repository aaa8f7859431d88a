import { isIP } from 'node:net';
import { hideTokens } from '@animal-store/contract/token-form';
import type { Attributes } from '@opentelemetry/api';
import * as semconv from '@opentelemetry/semantic-conventions';
import type { RequestRecord, TracedRequest } from './request-record.ts';

/** The HTTP methods that OpenTelemetry knows. All other methods are recorded as `_OTHER`. */
const knownMethods: ReadonlySet<string> = new Set(
  'CONNECT DELETE GET HEAD OPTIONS PATCH POST PUT TRACE'.split(' '),
);

/**
 * Matches a `User-Agent` that begins with a program and its version (RFC 9110, §10.1.5). A secret
 * that a client has put into the wrong header does not match.
 */
const namedProgram = /^[A-Za-z][\w.+-]{0,63}\/\d[\x20-\x7e]*$/;

/** The longest `User-Agent` that a span shows. Browsers send shorter ones. */
const maxUserAgentLength = 256;

/** Returns the name of a request's span, such as `GET /v1/pets`. */
export function nameOfRequest({ method, route }: RequestRecord): string {
  return [knownMethods.has(method) ? method : 'HTTP', route].filter(Boolean).join(' ');
}

/**
 * Returns the attributes of a request's span. They include the attributes that OpenTelemetry's
 * stable conventions for HTTP servers require or recommend, and the attributes of this service.
 *
 * `url.query` is left out, because callers put secrets into it. The address of the peer
 * (`network.peer.address`) is left out, because behind a proxy it is only the address of the proxy.
 */
export function requestAttributes(request: TracedRequest, record: RequestRecord): Attributes {
  const { method, route, status, requestId, key, decision, errorCode } = record;
  const isKnown = knownMethods.has(method);
  const clientAddress = addressOf(request.ip);
  const userAgent = userAgentToShow(request.headers['user-agent']);
  return {
    [semconv.ATTR_HTTP_REQUEST_METHOD]: isKnown ? method : semconv.HTTP_REQUEST_METHOD_VALUE_OTHER,
    ...(!isKnown && { [semconv.ATTR_HTTP_REQUEST_METHOD_ORIGINAL]: method }),
    ...(route && { [semconv.ATTR_HTTP_ROUTE]: route }),
    [semconv.ATTR_HTTP_RESPONSE_STATUS_CODE]: status,
    [semconv.ATTR_URL_PATH]: pathToShow(request, route),
    // `url.scheme` is always `http` or `https`. `request.protocol` may have another value, because
    // a trusted proxy may have copied X-Forwarded-Proto from a caller.
    [semconv.ATTR_URL_SCHEME]: request.protocol === 'https' ? 'https' : 'http',
    [semconv.ATTR_NETWORK_PROTOCOL_VERSION]: request.httpVersion,
    ...(clientAddress && { [semconv.ATTR_CLIENT_ADDRESS]: clientAddress }),
    ...(userAgent && { [semconv.ATTR_USER_AGENT_ORIGINAL]: userAgent }),
    // A 4xx is an error of the caller, not of the server, so it gets no error type.
    ...(status >= 500 && { [semconv.ATTR_ERROR_TYPE]: errorCode ?? String(status) }),
    'animal_store.request_id': requestId,
    ...(key && { 'animal_store.key_id': key.id, 'animal_store.plan': key.plan }),
    ...(decision && { 'animal_store.quota': decision.outcome }),
    ...(errorCode && { 'animal_store.error_code': errorCode }),
  };
}

/**
 * Returns the address of a request if it is a valid IP address. A caller can write any text into
 * `X-Forwarded-For`.
 */
function addressOf(ip: string | undefined): string | undefined {
  // If a socket accepts IPv4 and IPv6, Node reports an IPv4 address as an IPv6 address (RFC 4291,
  // §2.5.5.2). The span shows the IPv4 address.
  const address = ip?.replace(/^::ffff:(?=[\d.]+$)/i, '');
  return address !== undefined && isIP(address) !== 0 ? address : undefined;
}

function userAgentToShow(text: string | undefined): string | undefined {
  if (text === undefined || !namedProgram.test(text)) return undefined;
  return hideTokens(text).slice(0, maxUserAgentLength);
}

/**
 * Returns the path without parts that may be a secret of the caller. An unknown path and parameters
 * that are not numbers are replaced by `REDACTED`.
 */
function pathToShow(request: TracedRequest, route: string | undefined): string {
  // The path of a request without a route is unknown and may be impossible to decode, so none of it
  // is shown.
  if (route === undefined) return '/REDACTED';
  const template = route.split('/');
  const isShown = (part: string, index: number) =>
    !template[index]?.startsWith(':') || /^-?\d{1,19}$/.test(part);
  return `${request.baseUrl}${request.path}`
    .split('/')
    .map((part, index) => (isShown(part, index) ? part : 'REDACTED'))
    .join('/');
}
