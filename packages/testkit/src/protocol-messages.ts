/** One message of a protocol, in its binary form. */
export type WireMessage = {
  /** The type of the message, such as `DataRow` in Postgres or `*` in Redis. */
  readonly type: string;
  readonly bytes: Buffer;
};

/**
 * A function that splits the bytes of one direction of a connection into messages. It keeps the
 * bytes of an incomplete message until the rest arrives.
 */
type MessageSplitter = (chunk: Buffer) => WireMessage[];

/** A protocol whose messages a {@link openTcpProxy} can recognize and disturb. */
export type WireProtocol = {
  /** Creates a splitter for the messages from the client. */
  readonly requests: () => MessageSplitter;
  /** Creates a splitter for the messages from the server. */
  readonly responses: () => MessageSplitter;
};

/**
 * The protocol of Postgres, without TLS. The names of the messages come from the manual, 54.7
 * "Message Formats". The same type byte has different meanings in the two directions.
 */
export const postgresProtocol: WireProtocol = {
  requests() {
    let hasStarted = false;
    return splitter((bytes) => {
      if (hasStarted) return typedMessage(bytes, requestNames);
      const end = bytes.length < 4 ? Number.POSITIVE_INFINITY : bytes.readUInt32BE(0);
      if (bytes.length < end) return undefined;
      hasStarted = true;
      return { type: 'StartupMessage', end };
    });
  },
  responses: () => splitter((bytes) => typedMessage(bytes, responseNames)),
};

const namesOf = (list: string): Readonly<Record<string, string>> =>
  Object.fromEntries(list.split(' ').map((entry) => entry.split(':')));

const requestNames = namesOf(
  'B:Bind C:Close D:Describe E:Execute H:Flush P:Parse Q:Query S:Sync X:Terminate ' +
    'p:PasswordMessage',
);

const responseNames = namesOf(
  '1:ParseComplete 2:BindComplete A:NotificationResponse C:CommandComplete D:DataRow ' +
    'E:ErrorResponse K:BackendKeyData N:NoticeResponse R:Authentication S:ParameterStatus ' +
    'T:RowDescription Z:ReadyForQuery n:NoData t:ParameterDescription',
);

/** The protocol of Redis (RESP2). The type is the first byte. A nested reply is one message. */
export const redisProtocol: WireProtocol = {
  requests: () => splitter(respValue),
  responses: () => splitter(respValue),
};

type Found = { readonly type: string; readonly end: number };

/** Finds a message that begins with a type byte and the length of the rest. */
function typedMessage(bytes: Buffer, names: Readonly<Record<string, string>>): Found | undefined {
  if (bytes.length < 5) return undefined;
  const end = 1 + bytes.readUInt32BE(1);
  if (bytes.length < end) return undefined;
  const byte = String.fromCharCode(bytes[0] as number);
  return { type: names[byte] ?? byte, end };
}

function respValue(bytes: Buffer, from = 0): Found | undefined {
  const lineEnd = bytes.indexOf('\r\n', from);
  if (lineEnd === -1) return undefined;
  const type = String.fromCharCode(bytes[from] as number);
  const count = Number(bytes.toString('latin1', from + 1, lineEnd));
  let end = lineEnd + 2;
  if (type === '$' && count >= 0) end += count + 2;
  if (type === '*') {
    for (let i = 0; i < count; i += 1) {
      const element = respValue(bytes, end);
      if (element === undefined) return undefined;
      end = element.end;
    }
  }
  return end > bytes.length ? undefined : { type, end };
}

/**
 * Creates a splitter.
 *
 * @param find returns the type and the end of the first message, or `undefined` if it is
 *   incomplete.
 */
function splitter(find: (bytes: Buffer) => Found | undefined): MessageSplitter {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = Buffer.concat([waiting, chunk]);
    const messages: WireMessage[] = [];
    for (let found = find(waiting); found !== undefined; found = find(waiting)) {
      messages.push({ type: found.type, bytes: waiting.subarray(0, found.end) });
      waiting = waiting.subarray(found.end);
      if (waiting.length === 0) break;
    }
    return messages;
  };
}
