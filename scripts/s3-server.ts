/** versitygw, a server that speaks the protocol of S3 and checks every signature; its objects are files of a folder. */

import { goProgram } from './go-program.ts';

const VERSITYGW = {
  name: 'versitygw',
  module: 'github.com/versity/versitygw/cmd/versitygw',
  version: 'v1.8.0',
};

type S3Server = { port: number; folder: string; accessKeyId: string; secretAccessKey: string };

/**
 * The command that runs one on loopback. It is built from source when it is not there yet, once: two or three minutes.
 *
 * @throws Error when it cannot be built
 */
export async function s3ServerCommand(
  { port, folder, accessKeyId, secretAccessKey }: S3Server,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  const file = await goProgram(VERSITYGW, env);
  const keys = ['--access', accessKeyId, '--secret', secretAccessKey];
  return [file, ...keys, '--port', `127.0.0.1:${port}`, 'posix', folder];
}
