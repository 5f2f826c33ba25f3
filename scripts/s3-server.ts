/** versitygw is an S3-compatible server that checks every signature and stores objects as files. */

import { goProgram } from './go-program.ts';

const VERSITYGW = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw/cmd/versitygw',
  version: 'v1.8.0',
};

type S3Server = { port: number; folder: string; accessKeyId: string; secretAccessKey: string };

/**
 * The command that runs the server on loopback. The first call builds it from source, in two or three minutes.
 *
 * @throws Error if the server cannot be built
 */
export async function s3ServerCommand(
  { port, folder, accessKeyId, secretAccessKey }: S3Server,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const file = await goProgram(VERSITYGW, env);
  const keys = ['--access', accessKeyId, '--secret', secretAccessKey];
  return [file, ...keys, '--port', `127.0.0.1:${port}`, 'posix', folder];
}
