import { type AwsStub, startAwsStub } from './aws-stub.ts';
import { type Clock, startClock } from './clock.ts';
import { print } from './console.ts';
import { emptyFolder, lockFolder } from './data-folder.ts';
import { type QueueEmulator, startQueueEmulator, startTableEmulator, type TableEmulator } from './emulators.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type Endpoints, localIdentity } from './identity.ts';
import type { Json } from './json.ts';
import { openProvider } from './open-provider.ts';
import type { Provider } from './provider/provider.ts';
import { type SharedFlags, sharedFlags } from './shared-flags.ts';
import type { StreamShape } from './stream.ts';
import { ensureTemplate } from './synth.ts';
import { intrinsics, readTemplate, type Template } from './template.ts';
import type { CleanupStack } from './cleanup-stack.ts';

export interface RunnerOptions {
  /** The checkout; its bin/synth.ts writes `outDir` when that is out of date. Undefined: take `outDir` as it is. */
  root: string | undefined;
  /** The synthesized template and bundles. */
  outDir: string;
  port: number;
  dataDir: string;
  /** Empties the data folder first. */
  fresh: boolean;
  /** Origins of pages that may call the API, beside those of localhost. */
  corsOrigins?: readonly string[];
  /** Whether the simulator fails free-form messages outside the 24-hour window, as the provider does (true). */
  enforcesWindow?: boolean;
  /** How many shards the table's stream has, and how long each lives (4, 2,000 records). */
  stream?: StreamShape;
  /** Called when the runner cannot go on. */
  onFatal: (reason: string) => void;
}

/** What has to stand before anything of the template can be made: the folder, the port, the clock, the emulators, the template. */
export interface LocalServices {
  baseUrl: string;
  gateway: Gateway;
  lite: AwsStub;
  table: TableEmulator;
  queues: QueueEmulator;
  provider: Provider;
  clock: Clock;
  switches: SharedFlags;
  endpoints: Endpoints;
  template: Template;
  resolveValue: (value: Json) => Json;
}

/** Starts it, the slow parts side by side: synthesis takes longest. A StartProblem says why it cannot be. */
export const startLocalServices = async (options: RunnerOptions, cleanup: CleanupStack): Promise<LocalServices> => {
  const { dataDir, port, outDir, root, fresh, enforcesWindow = true, onFatal } = options;
  cleanup.add(lockFolder(dataDir, fresh));
  if (fresh) emptyFolder(dataDir);
  const gateway = await cleanup.register(startGateway(port));
  const switches = sharedFlags();
  // before the emulators: what runs in this process must never see the real time first
  const clock = startClock(dataDir, switches);
  const synthesis = new AbortController();
  cleanup.add(() => synthesis.abort());
  const starts = await Promise.allSettled([
    cleanup.register(startTableEmulator(dataDir, onFatal)),
    cleanup.register(startQueueEmulator(dataDir, [`http://127.0.0.1:${port}`, `http://localhost:${port}`])),
    cleanup.register(openProvider({ dataDir, log: print, enforcesWindow })),
    cleanup.register(startAwsStub()),
    root === undefined ? false : ensureTemplate(root, outDir, synthesis.signal),
  ]);
  const [table, queues, provider, lite] = [valueOf(starts[0]), valueOf(starts[1]), valueOf(starts[2]), valueOf(starts[3])];
  valueOf(starts[4]);

  const baseUrl = `http://127.0.0.1:${port}`;
  const endpoints: Endpoints = { dynamodb: table.url, queues: queues.url, lite: lite.url, publicBaseUrl: baseUrl };
  const template = readTemplate(outDir);
  const resolveValue = intrinsics(template, localIdentity(endpoints));
  return { baseUrl, gateway, lite, table, queues, provider, clock, switches, endpoints, template, resolveValue };
};

const valueOf = <T>(result: PromiseSettledResult<T>): T => {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
};
