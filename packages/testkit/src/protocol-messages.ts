/** One message of a protocol, in its binary form. */
export type WireMessage = {
  /** The type, such as `DataRow` or `*`. */
  readonly type: string;
  readonly bytes: Buffer;
};

/**
 * Splits the bytes of one direction of a connection into messages. An incomplete message waits for
 * the rest.
 */
type MessageSplitter = (chunk: Buffer) => WireMessage[];

/** A protocol that a {@link openTcpProxy} can cut between and within its messages. */
export type WireProtocol = {
  /** The messages from the client. */
  readonly requests: () => MessageSplitter;
  /** The messages from the server. */
  readonly responses: () => MessageSplitter;
};

/**
 * Postgres, without TLS. The names come from the manual, 54.7 "Message Formats". The same byte has
 * different meanings in the two directions.
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

/** Redis, RESP2: the type is the first byte. A nested reply is one message. */
export const redisProtocol: WireProtocol = {
  requests: () => splitter(respValue),
  responses: () => splitter(respValue),
};

type Found = { readonly type: string; readonly end: number };

/** A byte with the type, and the length of the rest. */
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

/** @param find returns the first message, if it is complete. */
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
