import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { StartProblem } from './data-folder.ts';
import type { EnvironmentSpec } from './environment.ts';
import { FunctionPool, type PoolLimits } from './functions.ts';
import { functionArn, type Endpoints } from './identity.ts';
import { type Json, numberOf, objectOf, textOf } from './json.ts';
import { region, resourcesOf, type Template } from './template.ts';

export interface FunctionOptions {
  dynamodbPort: number;
  shared: SharedArrayBuffer;
  /** What every function's environment has beyond the template, and instead of it. */
  overrides: Record<string, string>;
  print: (chunk: Buffer) => void;
}

/** The functions of the template by name, none started yet. */
export const createFunctions = (
  template: Template,
  resolveValue: (value: Json) => Json,
  parts: FunctionOptions,
): Map<string, FunctionPool> => {
  const pools = resourcesOf(template, 'AWS::Lambda::Function').flatMap((resource) => {
    const properties = objectOf(resolveValue(resource.properties));
    const runtime = textOf(properties.Runtime) ?? '';
    const s3Key = textOf(objectOf(properties.Code).S3Key);
    // the custom resources CDK adds for itself have nothing to do on the laptop
    if (!runtime.startsWith('nodejs') || s3Key === undefined) return [];
    const name = textOf(properties.FunctionName) ?? resource.id;
    const [module = 'index', handlerName = 'handler'] = (textOf(properties.Handler) ?? '').split(/\.(?=[^.]*$)/);
    const memoryMb = numberOf(properties.MemorySize) ?? 128;
    const spec: EnvironmentSpec = {
      name,
      arn: functionArn(name),
      file: bundleIn(template.assetFolder(s3Key), module),
      handlerName,
      timeoutMs: (numberOf(properties.Timeout) ?? 3) * 1000,
      memoryMb,
      variables: {
        ...textValues(objectOf(objectOf(properties.Environment).Variables)),
        ...chosenSettings(objectOf(objectOf(resource.properties.Environment).Variables)),
        AWS_LAMBDA_FUNCTION_NAME: name,
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(memoryMb),
        AWS_LAMBDA_FUNCTION_VERSION: '$LATEST',
        _HANDLER: textOf(properties.Handler) ?? '',
        ...parts.overrides,
      },
      dynamodbPort: parts.dynamodbPort,
      shared: parts.shared,
      print: parts.print,
    };
    return [[name, new FunctionPool(spec, workerLimits())] as const];
  });
  return new Map(pools);
};

/** The variables that lead the AWS SDK to the laptop, and away from everything else. */
export const endpointVariables = (endpoints: Endpoints): Record<string, string> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_SESSION_TOKEN: 'local',
  AWS_EC2_METADATA_DISABLED: 'true',
  // the emulators keep real time while the product's moves: the SDK would take every refusal for a skew, and repeat it
  AWS_DISABLE_CLOCK_SKEW_CORRECTION: 'true',
  AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamodb,
  AWS_ENDPOINT_URL_SQS: endpoints.queues,
  AWS_ENDPOINT_URL_S3: endpoints.queues,
  AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.lite,
  AWS_ENDPOINT_URL_SESV2: endpoints.lite,
  AWS_ENDPOINT_URL_LAMBDA: endpoints.lite,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: endpoints.lite,
  TZ: 'UTC',
  LANG: 'en_US.UTF-8',
  SWITCHBOARD_LOCAL: '1',
});

/** Two environments keep two cores busy; requests that wait for the table share them. */
export const httpLimits: PoolLimits = { environments: 2, concurrency: 16, memories: 1, niceness: 0 };

/** Batches of a queue or stream that are worked on at a time, at most. */
const batchesAtOnce = 4;

/**
 * Batches share environments, one for each two cores: each has code to compile and a heap of its own, and the cores are busy all the same.
 * No caller waits for their answer.
 */
export const workerLimits = (batches = batchesAtOnce): PoolLimits => {
  const atOnce = Math.min(batches, batchesAtOnce);
  const environments = Math.min(atOnce, Math.max(1, Math.floor(availableParallelism() / 2)));
  const concurrency = Math.ceil(atOnce / environments);
  return { environments, concurrency, memories: concurrency, niceness: 10 };
};

/** Plain settings of the template may be chosen by the environment the runner is started with; names of resources may not. */
const chosenSettings = (variables: Record<string, Json>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => {
      const chosen = process.env[name];
      const isSetting = typeof value === 'string' && !/^(AWS|NODE)_/.test(name);
      return isSetting && chosen !== undefined && chosen !== '' ? [[name, chosen]] : [];
    }),
  );

const textValues = (variables: Record<string, Json>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]));

const bundleIn = (folder: string, module: string): string => {
  const file = ['mjs', 'js', 'cjs'].map((extension) => join(folder, `${module}.${extension}`)).find((candidate) => existsSync(candidate));
  if (!file) throw new StartProblem(`The bundle ${module} is missing in ${folder}. Remove cdk.out and start again.`);
  return file;
};
