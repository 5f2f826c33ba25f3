import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { findPrograms } from '../../bench/peers/programs.ts';

describe('programs that the bench of peers does not bring', () => {
  let folder = '';
  const addProgram = (name: string) => writeFile(path.join(folder, name), '#!/bin/sh\n', { mode: 0o755 });
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'peers-'));
    for (const name of ['initdb', 'postgres', 'psql', 'outpost']) await addProgram(name);
  });
  afterAll(() => rm(folder, { recursive: true }));

  test('are named where their variable is not set or its folder lacks them, each with how to get it', async () => {
    const { missing } = await findPrograms({ OUTPOST_BIN: folder, POSTGRES_BIN: folder });
    expect(missing).toContain(`OUTPOST_BIN is ${folder}, which lacks outpost-server.\n  Outpost: `);
    expect(missing).toContain('RABBITMQ_BIN is not set: the folder with rabbitmq-server.\n  RabbitMQ: ');
    expect(missing).not.toContain('POSTGRES_BIN');
  });

  test('are taken from the folders given', async () => {
    for (const name of ['outpost-server', 'rabbitmq-server']) await addProgram(name);
    const folders = { OUTPOST_BIN: folder, RABBITMQ_BIN: folder, POSTGRES_BIN: folder };
    expect(await findPrograms(folders)).toEqual({ folders, missing: undefined });
  });
});
