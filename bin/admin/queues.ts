import { GetQueueUrlCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { app } from '../../functions/app.ts';
import { declarationsOf } from '../../lib/aws/declared.ts';
import { variableOf } from '../../shared/contract/resource.ts';
import { optionalSetting } from '../../shared/runtime/env.ts';
import { Failure } from './failure.ts';

/** The address of a queue by its declared name, of a deployed stack or of the laptop. */
export const queueUrl = async (client: SQSClient, stack: string | undefined, name: string): Promise<string | undefined> =>
  stack ? (await client.send(new GetQueueUrlCommand({ QueueName: `${stack}-${name}` }))).QueueUrl : `${laptop().before}${name}`;

/** The declared name of a queue, by the name that SQS has for it. */
export const declaredName = (stack: string | undefined, queueName: string): string => {
  const prefix = stack === undefined ? laptop().prefix : `${stack}-`;
  return queueName.startsWith(prefix) ? queueName.slice(prefix.length) : queueName;
};

/** On the laptop every queue has the address of the others, but for its name. */
function laptop(): { before: string; prefix: string } {
  const queue = declarationsOf(app).queues.find((each) => optionalSetting(variableOf(each)) !== undefined);
  const url = queue && optionalSetting(variableOf(queue));
  if (!queue || !url) throw new Failure('No queue is known: use --stack in place of --table.');
  const before = url.slice(0, -queue.name.length);
  return { before, prefix: before.slice(before.lastIndexOf('/') + 1) };
}
