import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableVariable } from '../contract/resource.ts';
import { withTimeouts } from '../runtime/aws-client.ts';
import { optionalSetting, setting } from '../runtime/env.ts';
import type { SdkRequest } from '../runtime/http-handler.ts';
import { signatureHeaders } from '../runtime/sign.ts';

/**
 * What the SDK would look for in the files of a developer's machine (~/.aws) with each start, as none of it is in a function's environment: the
 * values that it would end with. Commands of the operator's machine read those files.
 */
const settingsOfFunction = (): DynamoDBClientConfig => ({
  defaultsMode: 'standard',
  retryMode: 'standard',
  useDualstackEndpoint: optionalSetting('AWS_USE_DUALSTACK_ENDPOINT') === 'true',
  useFipsEndpoint: optionalSetting('AWS_USE_FIPS_ENDPOINT') === 'true',
  accountIdEndpointMode: 'preferred',
  ignoreConfiguredEndpointUrls: optionalSetting('AWS_ENDPOINT_URL_DYNAMODB') === undefined,
});
const isFunction = optionalSetting('AWS_LAMBDA_FUNCTION_NAME') !== undefined;

const client = new DynamoDBClient({ maxAttempts: 5, ...withTimeouts(), ...(isFunction ? settingsOfFunction() : {}) });

/** One client per Lambda environment. The SDK repeats throttled and failed requests, five attempts in all. */
export const dynamo = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });

/**
 * Removed from every request, a sixth of its CPU time: the logger middleware, which walks through each input and output although no logger
 * is set, the user agent header, and the trace header, by which services that invoke functions recognize loops.
 */
for (const middleware of ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'])
  dynamo.middlewareStack.remove(middleware);

/**
 * The SDK copies the client's fifty settings three times a call, a twelfth of its CPU time. Only those that the copy for the endpoint is
 * read for stay the object's own; it inherits the others, so all of them are read and written as before.
 */
const copied = /ndpoint(?!Cache|Discovery)|^(region|credentials|serviceId)$/;
Object.setPrototypeOf(client.config, { ...client.config });
for (const name of Object.keys(client.config)) if (!copied.test(name)) Reflect.deleteProperty(client.config, name);

/**
 * The SDK makes a signer for each request, with all of the client's settings in it, and derives a key's name anew; here one signs them all.
 * Credentials and the time, corrected for the clock's skew, stay the SDK's.
 */
const tableSigner: RequestSigner = {
  sign: async (request, { signingDate = new Date() } = {}) => {
    const { path, headers, body } = request as SdkRequest;
    const [region, credentials] = await Promise.all([client.config.region(), client.config.credentials()]);
    const signed = signatureHeaders({
      service: 'dynamodb',
      region,
      credentials,
      path,
      headers,
      body: body ?? '',
      at: new Date(signingDate),
    });
    return { ...request, headers: signed };
  },
};
client.config.signer = () => Promise.resolve(tableSigner);
type RequestSigner = Awaited<ReturnType<typeof client.config.signer>>;

/**
 * The SDK resolves the middleware of each command anew. Its option to resolve them once a class (`cacheMiddleware`) is refused by the document
 * client (https://github.com/aws/aws-sdk-js-v3/pull/7801). So the first command of a class stays, and runs the inputs of all later ones:
 * what it resolved reads `clientCommand` when it is called. test/shared/table-client.test.ts fails when an update changes that.
 */
const resolved = new Map<unknown, ResolvedCommand>();
interface ResolvedCommand {
  command: { clientCommand: unknown };
  run: () => Promise<{ output: unknown }>;
}

dynamo.send = ((command: Parameters<typeof dynamo.send>[0] & { clientCommand: unknown }) => {
  let known = resolved.get(command.constructor);
  if (!known) {
    const run = command.resolveMiddleware(dynamo.middlewareStack as never, dynamo.config, undefined) as unknown as ResolvedCommand['run'];
    resolved.set(command.constructor, (known = { command, run }));
  }
  known.command.clientCommand = command.clientCommand;
  return known.run().then(({ output }) => output);
}) as unknown as typeof dynamo.send;

/** Middleware that is added later counts from then on. */
dynamo.destroy = () => resolved.clear();

export const tableName = (): string => setting(tableVariable);
