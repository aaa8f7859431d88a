/** An error for a request that the service refused. Its message is the message of the response. */
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
    super('The service does not respond.', options);
  }
}

/**
 * An error for a change whose response did not arrive. The service may have made the change before
 * the connection was lost.
 */
export class LostResponse extends ConnectionFailure {
  override readonly message =
    'The service does not respond, but it may have made the change. Check the audit log before you try again.';
}

/** An error for a request that the service did not execute, because the session had ended. */
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
