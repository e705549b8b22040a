import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server as HttpServer } from 'node:http';
import { createServer, Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { FauxqsServer } from 'fauxqs';
import { writePid, runningHolder, StartProblem } from './data-folder.ts';
import { emulatorProgram } from './emulator-program.ts';
import { refuseForeign } from './foreign-requests.ts';
import { withLargeObjects } from './large-objects.ts';
import { withSignedUploads } from './signed-uploads.ts';
import { shrinkQueueFile } from './queue-file.ts';
import { region } from './template.ts';

export interface TableEmulator {
  url: string;
  port: number;
  /** Its SQLite file, for what the emulator leaves out (see table-file.ts). */
  file: string;
  stop(): Promise<void>;
}

export interface QueueEmulator {
  url: string;
  server: FauxqsServer;
  stop(): Promise<void>;
}

/**
 * DynamoDB: dynoxide, a child process on a file. A child left over from a runner that was killed is ended first, as two
 * processes on one file corrupt it without a word.
 *
 * @param onExit called when it ends without being stopped
 */
export const startTableEmulator = async (folder: string, onExit: (reason: string) => void): Promise<TableEmulator> => {
  const program = emulatorProgram();
  const pidFile = join(folder, 'dynoxide.pid');
  await endLeftover(pidFile);
  const file = join(folder, 'dynamodb.db');
  const { child, port } = await launched({ program, file, pidFile });
  let stopping = false;
  const ended = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      rmSync(pidFile, { force: true });
      if (!stopping) onExit(`the DynamoDB emulator ended by itself (${signal ?? `exit code ${code}`})`);
      resolve();
    });
  });
  return {
    url: `http://${loopback}:${port}`,
    port,
    file,
    stop: () => {
      stopping = true;
      child.kill('SIGTERM');
      return ended;
    },
  };
};

interface Launched {
  child: ChildProcess;
  port: number;
}

/** Started, and answering. Between our look and its bind, anybody may take a port that was free: then it is tried again with others. */
const launched = async (launch: { program: string; file: string; pidFile: string }, attempt = 1): Promise<Launched> => {
  const { program, file, pidFile } = launch;
  const port = await freePort();
  const child = spawn(program, ['serve', '--host', loopback, '--db-path', file, '--port', `${port}`], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (child.pid) writePid(pidFile, child.pid);
  // also when this process ends by an error: a child must not outlive its parent
  const endAtExit = (): void => void child.kill('SIGKILL');
  process.on('exit', endAtExit);
  child.once('exit', () => process.off('exit', endAtExit));
  try {
    await listening(child, program);
    return { child, port };
  } catch (error) {
    rmSync(pidFile, { force: true });
    if (attempt < 5 && error instanceof StartProblem && /in use/i.test(error.message)) return launched(launch, attempt + 1);
    throw error;
  }
};

/**
 * SQS and S3: fauxqs in this process, so that its delays and visibility timeouts follow the product's clock. At the port of the last start with these data,
 * unless another process has it: pages that are open may send files to where they could before, and nowhere else.
 */
export const startQueueEmulator = async (folder: string, filePages: readonly string[] = []): Promise<QueueEmulator> => {
  const { startFauxqs } = await import('fauxqs');
  shrinkQueueFile(join(folder, 'queues', 'fauxqs.db'));
  const portFile = join(folder, 'queue-port');
  const known = existsSync(portFile) ? Number(readFileSync(portFile, 'utf8')) : 0;
  const port = await freePort(known).then(
    () => known,
    () => 0,
  );
  const options = { port, logger: false, defaultRegion: region, dataDir: join(folder, 'queues'), s3StorageDir: join(folder, 'objects') };
  const start = (): Promise<FauxqsServer> => withSignedUploads(() => withLargeObjects(() => startFauxqs(options)));
  const server = await onLoopbackOnly(() => withoutWaitingForTheDisk(() => inOneTransactionATurn(start)), filePages);
  writeFileSync(portFile, String(server.port));
  return { url: `http://${loopback}:${server.port}`, server, stop: () => server.stop() };
};

/**
 * A port that no process uses at this moment.
 *
 * @throws where the wanted one is used
 */
export const freePort = (wanted = 0): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(wanted, loopback, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

export const loopback = '127.0.0.1';

const listening = (child: ChildProcess, program: string): Promise<void> =>
  new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string): void => reject(new StartProblem(`The DynamoDB emulator did not start (${why}).`));
    child.once('error', (error) => fail(`${program}: ${error.message}`));
    child.once('exit', (code) => fail(output.trim().split('\n').at(-1) || `exit code ${code}`));
    child.stderr?.on('data', (chunk) => {
      if (output.length < 10_000) output += String(chunk);
      if (/^Dynoxide listening/im.test(output)) resolve();
    });
  });

const endLeftover = async (pidFile: string): Promise<void> => {
  const pid = runningHolder(pidFile);
  if (pid === undefined) return;
  process.kill(pid, 'SIGKILL');
  for (let waited = 0; runningHolder(pidFile) !== undefined; waited += 10) {
    if (waited > 5000) throw new StartProblem(`A DynamoDB emulator of an earlier run (process ${pid}) does not end; end it by hand.`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

/** fauxqs binds every interface and takes no option for it: the host is swapped while it starts. */
const onLoopbackOnly = <T>(start: () => Promise<T>, filePages: readonly string[]): Promise<T> =>
  withMethod(
    Server.prototype,
    'listen',
    (original) =>
      function (this: unknown, ...parts: unknown[]): unknown {
        const [options, ...rest] = parts;
        const wide = typeof options === 'object' && options !== null && 'host' in options && options.host === '0.0.0.0';
        if (wide && this instanceof HttpServer) refuseForeign(this, { filePages });
        return Reflect.apply(original, this, [wide ? { ...options, host: loopback } : options, ...rest]);
      },
    start,
  );

/**
 * fauxqs waits for the disk at every change of a message, in the process that answers requests, which halves what it takes. Written to
 * the operating system, a change outlives `kill -9` all the same.
 */
const withoutWaitingForTheDisk = <T>(start: () => Promise<T>): Promise<T> =>
  withMethod(
    DatabaseSync.prototype,
    'exec',
    (exec) =>
      function (this: unknown, sql: unknown): unknown {
        const result: unknown = Reflect.apply(exec, this, [sql]);
        if (sql === 'PRAGMA journal_mode = WAL') Reflect.apply(exec, this, ['PRAGMA synchronous = NORMAL']);
        return result;
      },
    start,
  );

/**
 * fauxqs writes each message of a request by itself. Here all that it writes in one turn is one transaction, committed before its answer leaves:
 * a third of the time.
 */
const inOneTransactionATurn = <T>(start: () => Promise<T>): Promise<T> =>
  withMethod(
    DatabaseSync.prototype,
    'prepare',
    (prepare) =>
      function (this: unknown, sql: unknown): unknown {
        const statement = Reflect.apply(prepare, this, [sql]) as StatementSync;
        if (!(this instanceof DatabaseSync) || !/sqs_messages/.test(String(sql)) || /^\s*SELECT/.test(String(sql))) return statement;
        const run = statement.run.bind(statement);
        statement.run = (...values) => {
          beginTurn(this);
          return Reflect.apply(run, undefined, values);
        };
        return statement;
      },
    start,
  );

const beginTurn = (database: DatabaseSync): void => {
  if (database.isTransaction) return;
  database.exec('BEGIN IMMEDIATE');
  // before what awaits the handler of the request
  queueMicrotask(() => database.isOpen && database.exec('COMMIT'));
};

type Method = (this: unknown, ...parts: unknown[]) => unknown;

/** Another method in a built-in class's place while `work` runs. */
const withMethod = async <T>(of: object, name: string, changed: (original: Method) => Method, work: () => Promise<T>): Promise<T> => {
  const original = Reflect.get(of, name) as Method;
  Reflect.set(of, name, changed(original));
  try {
    return await work();
  } finally {
    Reflect.set(of, name, original);
  }
};
