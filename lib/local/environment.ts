import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { type Json, parseJson } from './json.ts';

/** How a function failed, in the words of Lambda. */
export class FunctionProblem extends Error {
  readonly errorType: string;
  readonly trace: string | undefined;
  constructor(errorType: string, errorMessage: string, trace?: string) {
    super(errorMessage);
    this.errorType = errorType;
    this.trace = trace;
  }
}

export interface EnvironmentSpec {
  name: string;
  arn: string;
  /** The bundle, and the export in it. */
  file: string;
  handlerName: string;
  timeoutMs: number;
  memoryMb: number;
  variables: Record<string, string>;
  dynamodbPort: number;
  shared: SharedArrayBuffer;
  /** Receives what the function prints. */
  print: (chunk: Buffer) => void;
}

export interface EnvironmentLimits {
  /** Of how many environments of Lambda it has the memory. */
  memories: number;
  /** How far its threads stand back for others when the processor is short, as of nice(1). */
  niceness: number;
}

/**
 * One execution environment of one function: a worker thread with its own variables, modules and memory limit, which counts buffers too. An endless loop, an
 * exit, memory running out end this environment and nothing else.
 */
export class Environment {
  busy = 0;
  isStopped = false;
  /** performance.now() when it last became free. */
  freeSince = performance.now();
  readonly #worker: Worker;
  readonly #spec: EnvironmentSpec;
  readonly #waiting = new Map<string, { resolve: (result: Json) => void; reject: (problem: FunctionProblem) => void }>();

  private constructor(spec: EnvironmentSpec, { niceness, memories }: EnvironmentLimits, onEnd: (environment: Environment) => void) {
    this.#spec = spec;
    this.#worker = new Worker(new URL('./worker.mjs', import.meta.url), {
      // as top -H shows it, which has fifteen characters for it
      name: spec.name.replace(/^switchboard-/, ''),
      env: spec.variables,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: spec.memoryMb * memories, maxYoungGenerationSizeMb: youngMb },
      workerData: {
        file: spec.file,
        handlerName: spec.handlerName,
        functionName: spec.name,
        functionArn: spec.arn,
        memoryMb: spec.memoryMb,
        memories,
        dynamodbPort: spec.dynamodbPort,
        shared: spec.shared,
        niceness,
      },
    });
    this.#worker.stdout.on('data', spec.print);
    this.#worker.stderr.on('data', spec.print);
    let reason = new FunctionProblem('Runtime.ExitError', 'The environment ended before it answered');
    this.#worker.on('error', (error: Error) => {
      reason = new FunctionProblem(error.name, error.message, error.stack);
    });
    this.#worker.on('exit', () => {
      this.isStopped = true;
      for (const { reject } of this.#waiting.values()) reject(reason);
      this.#waiting.clear();
      onEnd(this);
    });
  }

  /** Starts one and waits until its bundle is loaded. */
  static async start(spec: EnvironmentSpec, limits: EnvironmentLimits, onEnd: (environment: Environment) => void): Promise<Environment> {
    const environment = new Environment(spec, limits, onEnd);
    await environment.#loaded();
    return environment;
  }

  async invoke(event: Json): Promise<Json> {
    const id = randomUUID();
    const answer = new Promise<Json>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    // as text: for a batch of the stream a structured clone takes twice the CPU time, on both sides
    this.#worker.postMessage({ id, event: JSON.stringify(event), timeoutMs: this.#spec.timeoutMs });
    const timer = setTimeout(() => {
      const seconds = this.#spec.timeoutMs / 1000;
      this.#waiting.get(id)?.reject(new FunctionProblem('Sandbox.Timedout', `Task timed out after ${seconds.toFixed(2)} seconds`));
      this.#waiting.delete(id);
      void this.end();
    }, this.#spec.timeoutMs);
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Ends it at once; what runs in it fails. */
  async end(): Promise<void> {
    this.isStopped = true;
    await this.#worker.terminate();
  }

  #loaded(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(loading, { resolve: () => resolve(), reject });
      this.#worker.on('message', (message: WorkerMessage) => {
        const id = 'id' in message ? message.id : loading;
        const waiting = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (message.kind === 'ready') waiting?.resolve(null);
        else if (message.kind === 'result') waiting?.resolve(message.result === undefined ? null : parseJson(message.result));
        else waiting?.reject(new FunctionProblem(message.error.errorType, message.error.errorMessage, message.error.stack));
        if (message.kind === 'broken') void this.end();
      });
    });
  }
}

const loading = 'loading';

/** For new objects, of which a thread has 48 MB by default: two dozen threads would fill them all. */
const youngMb = 8;

interface WorkerProblem {
  errorType: string;
  errorMessage: string;
  stack: string | undefined;
}

type WorkerMessage =
  | { kind: 'ready' }
  | { kind: 'broken'; error: WorkerProblem }
  | { kind: 'result'; id: string; result: string | undefined }
  | { kind: 'error'; id: string; error: WorkerProblem };
