// One Lambda execution environment: own process.env, own module graph, own heap; started by environment.ts.
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';
import { replaceDate } from './moved-date.mjs';
import { inOneTransaction, isBatchOfStatements } from './one-transaction.mjs';
import { SparingAgent } from './sparing-agent.mjs';

const { file, handlerName, functionName, functionArn, memoryMb, memories, dynamodbPort, shared, niceness } = workerData;
const switches = new Float64Array(shared); // [0] clock offset in ms, [1] port of the fault proxy or 0, [2] requests: see shared-flags.ts

// on Linux 0 is this thread alone; elsewhere it would be the whole product
if (process.platform === 'linux' && niceness > 0) setPriority(0, Math.min(19, getPriority() + niceness));

replaceDate(() => switches[0]);

// While table faults are on, requests for the table take the way through the fault proxy; otherwise they go straight. The emulator works on one
// after the other: those of background work come two at a time, and one while a request runs, or a caller's would stand behind all that batches write.
const { request } = http;
// A row that several batches write is read and written anew where another was faster: behind all batches of statements that wait, one would be again.
const tableAgent = niceness > 0 ? new SparingAgent(() => (switches[2] > 0 ? 1 : 2), isBatchOfStatements) : undefined;
const straight = inOneTransaction(request);
http.request = (...parts) => {
  const [options, ...others] = parts;
  if (!options || typeof options !== 'object' || Number(options.port) !== dynamodbPort) return request(...parts);
  const toTable = { ...options, ...(tableAgent && { agent: tableAgent }) };
  return switches[1] > 0 ? request({ ...toTable, port: switches[1] }, ...others) : straight(toTable, ...others);
};
syncBuiltinESMExports();

// Each write of a thread is a message to the main one, which answers requests: lines of a moment go together.
const write = process.stdout.write.bind(process.stdout);
let printed = '';
const printNow = () => {
  const text = printed;
  printed = '';
  if (text !== '') write(text);
};
process.stdout.write = (chunk) => {
  if (printed === '') setTimeout(printNow, 20);
  printed += chunk;
  return true;
};
process.once('exit', printNow);

const problemOf = (error) => ({
  errorType: error?.name ?? 'Error',
  errorMessage: String(error?.message ?? error),
  stack: typeof error?.stack === 'string' ? error.stack : undefined,
});

// Lambda ends a function by what its process has, files in buffers included; a worker's heap limit counts objects alone.
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const usedMb = () => {
  const { used_heap_size, external_memory } = getHeapStatistics();
  return Math.ceil((used_heap_size + external_memory) / 2 ** 20);
};
const assertMemory = () => {
  const limitMb = memoryMb * memories;
  if (usedMb() <= limitMb) return;
  collect();
  if (usedMb() <= limitMb) return;
  throw Object.assign(new Error(`${functionName} has ${usedMb()} MB in use, buffers included, of ${limitMb} MB`), {
    name: 'Runtime.OutOfMemory',
  });
};
let running = 0;
// thrown in its timer it ends the environment, as running out of heap does; a thread that waits is not woken for it
let watch;
const begin = () => {
  if (running++ === 0) watch = setInterval(assertMemory, 50).unref();
};
const finish = () => {
  if (--running === 0) clearInterval(watch);
};

let handler;
try {
  handler = (await import(file))[handlerName];
  if (typeof handler !== 'function') throw new Error(`${functionName}: ${file} exports no function "${handlerName}"`);
  parentPort.postMessage({ kind: 'ready' });
} catch (error) {
  parentPort.postMessage({ kind: 'broken', error: problemOf(error) });
}

parentPort.on('message', async ({ id, event, timeoutMs }) => {
  // remaining time is counted on the monotonic clock: moving the product's time must not time out what is running
  const deadline = performance.now() + timeoutMs;
  const context = {
    awsRequestId: id,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: functionArn,
    memoryLimitInMB: String(memoryMb),
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: true,
    getRemainingTimeInMillis: () => Math.max(0, Math.round(deadline - performance.now())),
  };
  begin();
  try {
    const result = await handler(JSON.parse(event), context);
    parentPort.postMessage({ kind: 'result', id, result: JSON.stringify(result) });
  } catch (error) {
    parentPort.postMessage({ kind: 'error', id, error: problemOf(error) });
  } finally {
    finish();
  }
});
