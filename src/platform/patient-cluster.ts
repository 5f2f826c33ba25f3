import { setTimeout as delay } from 'node:timers/promises';
import { Cluster, type ClusterOptions } from 'ioredis';
import type { RedisHost } from './redis-address.rules.ts';

const RETRY_INFO_MS = 100;

type ClusterSettings = Omit<ClusterOptions, 'redisOptions'> & {
  redisOptions: Omit<NonNullable<ClusterOptions['redisOptions']>, 'replyMapping'>;
};

/** Repeats INFO until it succeeds: BullMQ asks once, and a cluster drops what was sent when its last node goes. */
export class PatientCluster extends Cluster {
  #isGivenUp = false;

  constructor(nodes: RedisHost[], options: ClusterSettings) {
    super(nodes, options);
    const once = this.info.bind(this);
    this.info = async () => {
      for (;;) {
        try {
          return await once();
        } catch (err) {
          if (this.#isGivenUp || this.status === 'end') throw err;
          await delay(RETRY_INFO_MS, undefined, { ref: false });
        }
      }
    };
    this.duplicate = ((_nodes: unknown, overrides: object) =>
      new PatientCluster(nodes, { ...options, ...overrides })) as Cluster['duplicate'];
  }

  override disconnect(reconnect = false): void {
    this.#isGivenUp ||= !reconnect;
    super.disconnect(reconnect);
  }
}
