type Bytes = AsyncIterable<Uint8Array> | null;

/** As much of a body of a success as the service waits for: a longer one counts as complete there. */
const DELIVERY_BYTES = 16 * 1024;

/** The text of a stream; undefined where it has more than `limit` bytes, of which no more is then read. */
export async function textWithin(stream: Bytes, limit: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of stream ?? []) {
    bytes += chunk.length;
    if (bytes > limit) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * The status by which an endpoint took a delivery, or did not, as the service goes by it: a 2xx once its body is whole, or longer than
 * 16 KB; any other at once. Rejects where the body of a 2xx breaks off.
 */
export async function deliveryStatusOf({ ok, status, body }: Response): Promise<number> {
  if (ok) await textWithin(body, DELIVERY_BYTES);
  else await body?.cancel().catch(() => undefined);
  return status;
}
