import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { Command, Option } from 'commander';
import { isoTime } from '../../shared/runtime/clock.ts';
import { asCount, examples } from './argument.ts';
import { Failure } from './failure.ts';
import { printList, printRecord } from './output.ts';
import { declaredName, queueUrl } from './queues.ts';

interface Target {
  stack?: string;
}

/** Messages that failed each time they were delivered. */
export const deadLetters = (): Command => {
  const noun = new Command('dead-letters').description('messages that failed each time they were delivered, and wait for the operator');
  examples(noun, 'dead-letters list', 'dead-letters move --queue sends', 'dead-letters drop 5fea7756-0ea4-451a-a703-a558b933e274');
  examples(
    noun.command('list').description('list them, with the queue they came from and their request').addOption(ofQueue()).addOption(most()),
    'dead-letters list --queue sends',
  ).action(async (options: Choice, command: Command) => {
    const held = await hold(command.optsWithGlobals<Target>(), options);
    await held.release();
    const rows = held.letters.map(({ id, queue, deliveries, sentAt, requestId }) => ({
      id,
      queue,
      deliveries,
      sent_at: sentAt === undefined ? null : isoTime(sentAt),
      request_id: requestId ?? null,
    }));
    printList(command, rows, ['id', 'queue', 'deliveries', 'sent_at', 'request_id'], 'No message failed for good.');
  });
  examples(
    noun
      .command('move')
      .description(
        'put them back into the queues they came from, after their cause is mended; each is done once, also when it is moved twice',
      )
      .argument('[id]', 'one of them')
      .addOption(ofQueue())
      .addOption(most()),
    'dead-letters move --queue sends',
  ).action(async (id: string | undefined, options: Choice, command: Command) => {
    const held = await hold(command.optsWithGlobals<Target>(), { ...options, id });
    for (const letter of held.letters) await held.moveBack(letter);
    printRecord(command, { moved: held.letters.length });
  });
  examples(
    noun.command('drop').description('delete one that can never be carried out').argument('<id>', 'its id'),
    'dead-letters drop 5fea7756-0ea4-451a-a703-a558b933e274',
  ).action(async (id: string, _: object, command: Command) => {
    const held = await hold(command.optsWithGlobals<Target>(), { id, most: allOfThem });
    for (const letter of held.letters) await held.remove(letter);
    printRecord(command, { dropped: held.letters.length });
  });
  return noun;
};

/** SQS has at most so many in flight of one queue. */
const allOfThem = 100_000;
const ofQueue = (): Option => new Option('--queue <name>', 'only those of one queue, as the list names it');
const most = (): Option => new Option('--most <count>', 'at most so many').argParser(asCount).default(allOfThem);

interface Choice {
  id?: string | undefined;
  queue?: string;
  most: number;
}

/** A message that was given up, and where it came from. */
interface Letter {
  id: string;
  queue: string;
  deliveries: number;
  sentAt: number | undefined;
  requestId: string | undefined;
  message: Message;
}

/** Chosen messages, hidden from others until one of these is called. */
export interface Held {
  letters: readonly Letter[];
  /** Shows them again where they are. */
  release: () => Promise<void>;
  remove: (letter: Letter) => Promise<void>;
  moveBack: (letter: Letter) => Promise<void>;
}

/** How long the messages that are looked at are hidden from another look, in seconds. */
const hiddenSeconds = 300;

/**
 * Receives the messages of the dead-letter queue, hides them meanwhile, and keeps those that are chosen; all others are there again a second later. Throws
 * a Failure where an id is given that no message has.
 */
export async function hold({ stack }: Target, { id, queue, most: limit }: Choice, client = new SQSClient({})): Promise<Held> {
  const QueueUrl = await queueUrl(client, stack, 'dead-letters');
  const chosen: Letter[] = [];
  const others: Message[] = [];
  // not at once: the emulator of the laptop fails at 0, and loses the message
  const show = ({ ReceiptHandle }: Message): Promise<unknown> =>
    client.send(new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 1 }));
  for (let isLast = false; !isLast && chosen.length < limit; ) {
    const { Messages = [] } = await client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: 10,
        VisibilityTimeout: hiddenSeconds,
        // longer than a message that another look has just shown stays hidden
        WaitTimeSeconds: 2,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
    );
    isLast = Messages.length === 0;
    for (const message of Messages) {
      const letter = letterOf(message, stack);
      const isChosen = (id === undefined || letter.id === id) && (queue === undefined || letter.queue === queue) && chosen.length < limit;
      if (isChosen) chosen.push(letter);
      else others.push(message);
    }
    if (id !== undefined && chosen.length > 0) isLast = true;
  }
  await Promise.all(others.map(show));
  if (id !== undefined && chosen.length === 0) throw new Failure(`There is no message ${id} in the dead-letter queue.`);
  const remove = async ({ message: { ReceiptHandle } }: Letter): Promise<void> => {
    await client.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  };
  return {
    letters: chosen,
    release: async () => void (await Promise.all(chosen.map(({ message }) => show(message)))),
    remove,
    /** First there, then away: ended between the two it is in both, which changes nothing. */
    moveBack: async (letter: Letter): Promise<void> => {
      if (letter.queue === unknownQueue)
        throw new Failure(`SQS does not say which queue ${letter.id} came from: the emulator of the laptop never does.`);
      const { Body: MessageBody, MessageAttributes, Attributes: { MessageGroupId } = {} } = letter.message;
      const target = await queueUrl(client, stack, letter.queue);
      // with its company, by which the queue is fair
      await client.send(new SendMessageCommand({ QueueUrl: target, MessageBody, MessageAttributes, MessageGroupId }));
      await remove(letter);
    },
  };
}

const unknownQueue = 'unknown';

function letterOf(message: Message, stack: string | undefined): Letter {
  const { MessageId = '', Attributes: attributes = {}, MessageAttributes } = message;
  const source = attributes.DeadLetterQueueSourceArn?.split(':').at(-1) ?? unknownQueue;
  const sentAt = Number(attributes.SentTimestamp);
  return {
    id: MessageId,
    queue: declaredName(stack, source),
    deliveries: Number(attributes.ApproximateReceiveCount ?? 0),
    sentAt: Number.isNaN(sentAt) ? undefined : sentAt,
    requestId: MessageAttributes?.['request_id']?.StringValue,
    message,
  };
}
