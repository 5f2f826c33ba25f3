import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { Agent, type buildConnector } from 'undici';
import { createConnectOnDemand } from '../../src/sender/connect-on-demand.ts';
import type { ResolveAddresses } from '../../src/sender/resolve-addresses.ts';
import { closeOpened, messageTo, outcome, receiver, sender, until } from '../deliveries/sending.ts';

afterEach(closeOpened);

const options = {
  protocol: 'https:',
  hostname: 'partner.example',
  host: 'partner.example:8443',
  port: '8443',
};

describe('a connection on demand', () => {
  test('is opened while at least one request waits for it, and refused otherwise', async () => {
    const connect = jest.fn<buildConnector.connector>();
    const onDemand = createConnectOnDemand(connect);
    const attempt = () =>
      new Promise<unknown>((settle) => {
        onDemand.connect(options, (...[error]) => settle(error));
      });

    expect(await attempt()).toBeInstanceOf(Error);
    const releases = [
      onDemand.waitFor('https://partner.example:8443'),
      onDemand.waitFor('https://partner.example:8443'),
    ];
    onDemand.waitFor('https://partner.example')();
    releases[0]?.();
    releases[0]?.();
    onDemand.connect(options, () => {});
    expect(connect).toHaveBeenCalledTimes(1);
    releases[1]?.();
    expect(await attempt()).toBeInstanceOf(Error);
    expect(connect).toHaveBeenCalledTimes(1);
  });
});

describe('a delivery that is cut', () => {
  test('costs the receiver no second connection', async () => {
    const target = await receiver(() => {});
    expect(await sender(100).send(messageTo(target.port))).toEqual(outcome({ error: 'timeout' }));
    await until(() => target.closedConnections === 1);

    // Connections are accepted in their order: when this one has been, a second one of the first sender would be too.
    expect(await sender(100).send(messageTo(target.port))).toEqual(outcome({ error: 'timeout' }));
    expect(target.connections).toBe(2);
  });

  test('costs none either while another one to the same receiver is under way', async () => {
    const target = await receiver(() => {});
    const stop = new AbortController();
    const one = sender(1_000);
    const lasting = one.send(messageTo(target.port));
    const cut = one.send({ ...messageTo(target.port), signal: stop.signal });
    await until(() => target.requests.length === 2);
    stop.abort();
    expect(await cut).toEqual(outcome({ error: 'interrupted' }));
    await lasting;
    await until(() => target.closedConnections === 2);
    expect(target.connections).toBe(2);
  });

  test('costs none either after one that never got its connection', async () => {
    const target = await receiver(() => {});
    const resolve = jest
      .fn<ResolveAddresses>(async () => ['127.0.0.1'])
      .mockRejectedValueOnce(new Error('no such name'));
    const one = sender(200, resolve);
    const message = { ...messageTo(target.port), url: `http://partner.example:${target.port}/` };
    expect(await one.send(message)).toEqual(outcome({ error: 'dns_error' }));
    expect(await one.send(message)).toEqual(outcome({ error: 'timeout' }));
    await until(() => target.closedConnections === 1);
    expect(await sender(200).send(messageTo(target.port))).toEqual(outcome({ error: 'timeout' }));
    expect(target.connections).toBe(2);
  });

  test('control: undici alone opens one (when this fails, connecting on demand is no longer needed)', async () => {
    const target = await receiver(() => {});
    const agent = new Agent();
    const stop = new AbortController();
    const origin = `http://127.0.0.1:${target.port}`;
    const sending = agent.request({ origin, path: '/', method: 'POST', signal: stop.signal });
    await until(() => target.requests.length === 1);
    stop.abort(new Error('cut'));
    await expect(sending).rejects.toThrow('cut');
    await until(() => target.connections === 2);
    await agent.destroy();
  });
});
