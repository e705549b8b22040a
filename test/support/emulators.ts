import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync, existsSync } from 'node:fs';
import { createServer, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type FauxqsServer, startFauxqs } from 'fauxqs';
import { emulatorProgram } from '../../lib/local/emulator-program.ts';
import { withLargeObjects } from '../../lib/local/large-objects.ts';
import { withSignedUploads } from '../../lib/local/signed-uploads.ts';
import { fromWire } from '../../shared/table/wire.ts';
import { type QueueStore, storeOf } from './queue-store.ts';
import { dueTime } from '../../shared/table/due.ts';
import { tableSchema } from '../../shared/table/schema.ts';

/** The real parts under a test app: the DynamoDB emulator as a child process, the SQS and S3 emulator inside this one. */
export interface Emulator {
  endpoint: string;
  stop: () => Promise<void>;
}

/** DynamoDB on a file in memory. The shell around it ends it when this process crashes, however that happens. */
export const startDynamo = async (port: number): Promise<Emulator & { file: string }> => {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'switchboard-'));
  const file = join(folder, 'table.db');
  const shell = spawn(
    '/bin/sh',
    [
      '-c',
      '"$@" & child=$!; read -r _; kill -9 $child; wait $child 2>/dev/null',
      'sh',
      emulatorProgram(),
      '--port',
      String(port),
      '--db-path',
      file,
    ],
    // calls come from one process, and wait for one file: threads would only wake one another
    { stdio: ['pipe', 'ignore', 'pipe'], env: { ...process.env, TOKIO_WORKER_THREADS: '1' } },
  );
  await new Promise<void>((resolve, reject) => {
    let output = '';
    shell.stderr.on('data', (data: Buffer) => {
      output += data.toString();
      if (/listening on/i.test(output)) resolve();
      else if (/error/i.test(output)) reject(new Error(`The DynamoDB emulator did not start: ${output}`));
    });
    shell.once('error', reject);
    shell.once('exit', () => reject(new Error(`The DynamoDB emulator ended: ${output}`)));
  });
  shell.unref();
  for (const pipe of [shell.stdin, shell.stderr]) (pipe as unknown as { unref?: () => void }).unref?.();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    file,
    stop: async () => {
      const ended = new Promise((resolve) => shell.once('exit', resolve));
      shell.ref();
      shell.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** SQS and S3 in this process, on loopback only. */
export const startQueues = async (port: number): Promise<Emulator & { server: FauxqsServer; store: QueueStore }> => {
  const server = await loopbackOnly(() =>
    withSignedUploads(() => withLargeObjects(() => startFauxqs({ port, logger: false, defaultRegion: 'us-east-1' }))),
  );
  return { endpoint: `http://127.0.0.1:${server.port}`, server, store: await storeOf(server), stop: () => server.stop() };
};

/** The one table's definition, as CreateTable takes it, from the schema that deploys. */
export const tableDefinition = (name: string) => {
  const indexes = Object.entries(tableSchema.indexes);
  const keys = [tableSchema, ...indexes.map(([, index]) => index)].flatMap((index) => [index.partitionKey, index.sortKey]);
  const schemaOf = (index: { partitionKey: string; sortKey: string }) => [
    { AttributeName: index.partitionKey, KeyType: 'HASH' },
    { AttributeName: index.sortKey, KeyType: 'RANGE' },
  ];
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: keys.map((key) => ({ AttributeName: key, AttributeType: 'S' })),
    KeySchema: schemaOf(tableSchema),
    GlobalSecondaryIndexes: indexes.map(([IndexName, index]) => ({
      IndexName,
      KeySchema: schemaOf(index),
      Projection: { ProjectionType: index.projection },
    })),
    StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
  };
};

/** Adds the index that the emulator lacks: without it every write scans the whole change stream. */
export const indexStream = (file: string): void => {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA busy_timeout=5000');
  database.exec('CREATE INDEX IF NOT EXISTS _local_stream_seq ON _stream_records(table_name, CAST(sequence_number AS INTEGER))');
  database.close();
};

/** The value of each attribute, or one of several. */
export type Where = Readonly<Record<string, string | number | readonly string[]>>;

/** A record of the change stream as the emulator stores it; keys and images are JSON. */
export interface StoredRecord {
  id: number;
  eventName: string;
  keys: string;
  newImage: string | null;
  oldImage: string | null;
  number: string;
  /** Seconds. */
  at: number;
  userIdentity: string | null;
}

/** Reads items from the emulator's file, beside the emulator: every write that it answered is there. */
export const itemReader = (file: string, table: string) => {
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec('PRAGMA busy_timeout=5000');
  // with the plus SQLite goes by the id: by the name of the one table it would read and sort all records each time
  const records = database.prepare(`
    SELECT id, event_name AS eventName, keys_json AS keys, new_image AS newImage, old_image AS oldImage, sequence_number AS number,
      created_at AS at, user_identity AS userIdentity
    FROM _stream_records WHERE id > ? AND +table_name = ? ORDER BY id LIMIT 1000`);
  // keys are stored with their type before them
  const due = database.prepare(`
    SELECT EXISTS (SELECT 1 FROM "${table}::gsi::due" WHERE gsi_sk < ?) OR EXISTS (SELECT 1 FROM "${table}" WHERE pk = 'S:DUE' AND sk LIKE 'S:REPLAY#%') AS found`);
  return {
    read: (where: Where = {}): Record<string, unknown>[] => {
      const values = Object.values(where).flatMap((value) => [value].flat());
      const conditions = Object.entries(where).map(([attribute, value]) => {
        const oneOf = [value].flat();
        return `json_extract(item_json, '$.${attribute}.${typeof oneOf[0] === 'number' ? 'N' : 'S'}') IN (${oneOf.map(() => '?').join(', ')})`;
      });
      const rows = database
        .prepare(`SELECT item_json AS json FROM "${table}" WHERE ${['TRUE', ...conditions].join(' AND ')} ORDER BY pk, sk`)
        .all(...values.map(String)) as { json: string }[];
      return rows.map(
        ({ json }) => fromWire({ M: JSON.parse(json, json.includes('"B":"') ? bytes : undefined) as unknown }) as Record<string, unknown>,
      );
    },
    /** Records of the change stream after one of them, a thousand at most: as GetRecords gives them, without a request. */
    recordsAfter: (id: number): StoredRecord[] => records.all(id, table) as unknown as StoredRecord[],
    /** Whether something is due before a time, or is to be placed again, that the dispatcher would find. */
    hasDueWork: (beforeMs: number): boolean => Boolean(due.get(`S:${dueTime(beforeMs)}`)?.['found']),
    close: () => database.close(),
  };
};

/** Binary values are base64 text in the wire form; a map's member of that name is an object. */
const bytes = (key: string, value: unknown): unknown =>
  key === 'B' && typeof value === 'string' ? Uint8Array.from(Buffer.from(value, 'base64')) : value;

/**
 * Ports are chosen once a process, because SDK clients remember the endpoint they first used: the next test app, of this file or another, takes the first one's.
 * They are below those that the system gives to others while no test app has them.
 */
export const portsOfThisProcess = (): Promise<readonly [number, number, number]> => (ofProcess[portsKey] ??= threePorts());

const portsKey = Symbol.for('switchboard.ports');
const ofProcess = process as typeof process & { [portsKey]?: Promise<readonly [number, number, number]> };

async function threePorts(): Promise<readonly [number, number, number]> {
  for (;;) {
    const first = randomInt(10_000, 30_000);
    try {
      return [await freePort(first), await freePort(first + 1), await freePort(first + 2)];
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    }
  }
}

/** The port, if it is free; any free one unless given. */
export function freePort(wanted = 0): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** The emulator binds 0.0.0.0 and takes no other host; while it binds, that means loopback. */
async function loopbackOnly<T>(work: () => Promise<T>): Promise<T> {
  const listen = Object.getOwnPropertyDescriptor(Server.prototype, 'listen');
  if (!listen) return work();
  const real = listen.value as (...args: unknown[]) => Server;
  Object.defineProperty(Server.prototype, 'listen', {
    ...listen,
    value(this: Server, first: unknown, ...rest: unknown[]) {
      const anywhere = typeof first === 'object' && first !== null && 'host' in first && first.host === '0.0.0.0';
      return real.call(this, anywhere ? { ...first, host: '127.0.0.1' } : first, ...rest);
    },
  });
  try {
    return await work();
  } finally {
    Object.defineProperty(Server.prototype, 'listen', listen);
  }
}
