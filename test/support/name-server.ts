import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, decode, encode } from 'dns-packet';

/** The answers for a name: its records; SERVFAIL for queries of `failing` types; none for queries of `silent` types. */
export type NameEntry = {
  A?: string[];
  AAAA?: string[];
  CNAME?: string;
  failing?: ('A' | 'AAAA')[];
  silent?: ('A' | 'AAAA')[];
};
type Zone = Readonly<Record<string, NameEntry>>;

const NXDOMAIN = 3;
const SERVFAIL = 2;

/** A local name server for the names in `zone`; other names do not exist. */
export async function startNameServer(zone: Zone) {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (message, from) => {
    asked += 1;
    const { id, questions = [] } = decode(message);
    const [question] = questions;
    const type = question?.type === 'AAAA' ? 'AAAA' : 'A';
    const name = question?.name ?? '';
    const entry = zone[name];
    if (entry?.silent?.includes(type) === true) return;
    const failure = entry === undefined ? NXDOMAIN : entry.failing?.includes(type) === true ? SERVFAIL : 0;
    const answers = failure === 0 ? answersOf(zone, name, type) : [];
    const flags = 0x0180 | failure;
    socket.send(encode({ type: 'response', id: id ?? 0, flags, questions, answers }), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked: () => asked,
    close: () => new Promise<void>((resolve) => void socket.close(() => resolve())),
  };
}

function answersOf(zone: Zone, name: string, type: 'A' | 'AAAA'): Answer[] {
  const { CNAME, ...entry } = zone[name] ?? {};
  if (CNAME !== undefined) return [{ type: 'CNAME', name, data: CNAME, ttl: 60 }, ...answersOf(zone, CNAME, type)];
  return (entry[type] ?? []).map((data): Answer => ({ type, name, data, ttl: 60 }));
}
