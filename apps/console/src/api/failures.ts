/** The service refused a request. The message is the service's own. */
export class RefusedRequest extends Error {
  override readonly name = 'RefusedRequest';
  readonly status: number;

  constructor(status: number, body: unknown) {
    super(messageOf(body) ?? `The service responded with status ${status}.`);
    this.status = status;
  }
}

export class ConnectionFailure extends Error {
  override readonly name = 'ConnectionFailure';

  constructor(options?: ErrorOptions) {
    super('The service does not answer.', options);
  }
}

/** The session has ended, so the service did nothing. */
export class SessionEnded extends Error {
  override readonly name = 'SessionEnded';

  constructor() {
    super('Your session had ended, so nothing was changed. Try again.');
  }
}

function messageOf(body: unknown): string | undefined {
  if (typeof body !== 'object' || body === null || !('message' in body)) return undefined;
  return String(body.message);
}
