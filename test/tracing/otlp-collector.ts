import { startStubServer } from '../support/stub-server.ts';

/** A span that the collector received; ids in hex. */
export type CollectedSpan = {
  service: string;
  name: string;
  traceId: string;
  parentId: string;
  attributes: Record<string, string>;
};

export type Collector = {
  url: string;
  spans: readonly CollectedSpan[];
  /** Everything received, as text. */
  text(): string;
  close(): Promise<void>;
};

/** Receives spans by OTLP over HTTP, in protobuf (opentelemetry-proto, `trace/v1/trace.proto`). */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = await startStubServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => void chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      bodies.push(body);
      if (request.url === '/v1/traces') spans.push(...spansIn(body));
      response.setHeader('Content-Type', 'application/x-protobuf').end();
    });
  });
  return { ...server, spans, text: () => Buffer.concat(bodies).toString('latin1') };
}

function spansIn(request: Buffer): CollectedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    const ofScopes = messages(resourceSpans, 2);
    return ofScopes
      .flatMap((scopeSpans) => messages(scopeSpans, 2))
      .map((span) => ({
        service: resource['service.name'] ?? '',
        name: messages(span, 5)[0]?.toString() ?? '',
        traceId: messages(span, 1)[0]?.toString('hex') ?? '',
        parentId: messages(span, 4)[0]?.toString('hex') ?? '',
        attributes: attributesOf(span, 9),
      }));
  });
}

/** The text values among the key-value pairs of a field. */
function attributesOf(message: Buffer, field: number): Record<string, string> {
  return Object.fromEntries(
    messages(message, field).flatMap((pair) => {
      const [key, value] = [messages(pair, 1)[0], messages(pair, 2)[0]];
      const text = value === undefined ? undefined : messages(value, 1)[0];
      return key === undefined || text === undefined ? [] : [[key.toString(), text.toString()]];
    }),
  );
}

/** The values of a length-delimited field of a protobuf message, in order. */
function messages(message: Buffer, fieldNumber: number): Buffer[] {
  const values: Buffer[] = [];
  let offset = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message[offset++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (offset < message.length) {
    const tag = varint();
    const type = tag % 8;
    if (type === 0) varint();
    else if (type === 1) offset += 8;
    else if (type === 5) offset += 4;
    else {
      const length = varint();
      if (Math.floor(tag / 8) === fieldNumber) values.push(message.subarray(offset, offset + length));
      offset += length;
    }
  }
  return values;
}
