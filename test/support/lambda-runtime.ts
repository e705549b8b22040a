import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** What Lambda would start: a folder with `main.cjs`, its variables and its memory. */
export interface LambdaFunction {
  name: string;
  folder: string;
  variables: NodeJS.ProcessEnv;
  memoryMb: number;
}

export interface LambdaRuntime extends AsyncDisposable {
  /** The function's answer, as the Runtime API got it; throws what the function threw. */
  invoke: (event: unknown) => Promise<unknown>;
  /** What the runtime and the function wrote so far. */
  printed: () => string;
}

const root = join(import.meta.dirname, '../..');

/** A built function under the program that runs it in Lambda, aws-lambda-ric, once the function is loaded. Throws when it cannot be. */
export const startLambdaRuntime = async (spec: LambdaFunction): Promise<LambdaRuntime> => {
  const api = await startRuntimeApi();
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${spec.memoryMb}`,
      '--enable-source-maps',
      '--require',
      join(import.meta.dirname, 'lambda-runtime-client.cjs'),
      join(root, 'node_modules/aws-lambda-ric/index.mjs'),
    ],
    {
      cwd: spec.folder,
      env: {
        ...spec.variables,
        NODE_OPTIONS: '',
        AWS_LAMBDA_FUNCTION_NAME: spec.name,
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(spec.memoryMb),
        AWS_LAMBDA_LOG_FORMAT: 'JSON',
        AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${spec.name}`,
        AWS_LAMBDA_LOG_STREAM_NAME: 'test',
        AWS_LAMBDA_RUNTIME_API: api.address,
        LAMBDA_TASK_ROOT: spec.folder,
        _HANDLER: 'main.handler',
        _LAMBDA_TELEMETRY_LOG_FD: '3',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  );
  let printed = '';
  for (const stream of child.stdio.slice(1)) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString('utf8')));
  const exit = once(child, 'exit');
  const ended = exit.then(([code]): never => {
    throw new Error(`${spec.name} ended with ${code}: ${printed}`);
  });
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    child.kill();
    await exit;
    api.stop();
  };
  try {
    await Promise.race([api.ready, ended]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { invoke: (event) => Promise.race([api.invoke(event), ended]), printed: () => printed, [Symbol.asyncDispose]: stop };
};

/** Lambda's side of it: gives out one event at a time, and takes its answer. https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html */
async function startRuntimeApi() {
  let waiting = Promise.withResolvers<ServerResponse>();
  const loaded = Promise.withResolvers<void>();
  let answer = Promise.withResolvers<unknown>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { url = '' } = request;
      if (request.method === 'GET') {
        waiting.resolve(response);
        return loaded.resolve();
      }
      response.writeHead(202).end();
      if (url.endsWith('/init/error')) loaded.reject(new Error(body));
      else if (url.endsWith('/response')) answer.resolve(JSON.parse(body));
      else answer.reject(new Error(body));
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ready: loaded.promise,
    invoke: async (event: unknown): Promise<unknown> => {
      const response = await waiting.promise;
      waiting = Promise.withResolvers();
      answer = Promise.withResolvers();
      const headers = {
        'lambda-runtime-aws-request-id': randomUUID(),
        'lambda-runtime-deadline-ms': String(Date.now() + 30_000),
        'lambda-runtime-invoked-function-arn': 'arn:aws:lambda:us-east-1:000000000000:function:built',
      };
      response.writeHead(200, headers).end(JSON.stringify(event));
      return answer.promise;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
