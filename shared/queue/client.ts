import { SQSClient } from '@aws-sdk/client-sqs';
import { withTimeouts } from '../runtime/aws-client.ts';
import { processValue } from '../runtime/memory.ts';

/** Made with the first message. The SDK repeats throttled and failed requests, four attempts in all. */
export const sqs = processValue(() => new SQSClient({ maxAttempts: 4, ...withTimeouts() }));
