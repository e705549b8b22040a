import { AwsProblem, awsCall, dynamodb } from './aws-call.ts';
import type { Clock } from './clock.ts';
import { type JsonObject, listOf, objectOf, textOf } from './json.ts';
import { type PendingWork, retryHorizonMs, waitUntilIdle, type WorkSources } from './pending-work.ts';
import type { TableResource } from './resources.ts';
import type { Schedules } from './schedules.ts';

export interface SetBackOptions {
  clock: Clock;
  schedules: Schedules;
  places: WorkSources;
  /** Lowers what lies after a time, epoch ms, to it: `lowerWatermarks`. */
  lower: (now: number) => Promise<void>;
  /** Ends the functions' environments, with what they remember, and shows again what failed and waits in a queue. */
  renew: () => Promise<void>;
}

/**
 * Sets the product's time to the machine's, once no work is in hand. Answers with the work that is left where that takes longer than half a
 * minute: then nothing has changed. docs/decisions/local-clock.md.
 */
export const setClockBack = ({ clock, schedules, places, lower, renew }: SetBackOptions, idleWithinMs = 30_000): Promise<PendingWork> =>
  schedules.holding(async () => {
    const left = await waitUntilIdle(places, retryHorizonMs, idleWithinMs);
    if (Object.keys(left).length > 0) return left;
    clock.setBack();
    await lower(clock.now());
    schedules.setBack();
    await renew();
    return {};
  });

/**
 * Items that hold the furthest time of something: up to there due work is placed, send slots are given, a conversation is read. Time that goes
 * back would wait for it. In microseconds where `perMs` is 1,000.
 */
export const watermarks: readonly { kind: string; attributes: readonly string[]; perMs: 1 | 1_000 }[] = [
  { kind: 'due-watermark', attributes: ['placedToMs'], perMs: 1 },
  { kind: 'pace', attributes: ['next', 'lineEnd'], perMs: 1_000 },
  { kind: 'recipient-hold', attributes: ['until'], perMs: 1 },
  { kind: 'webhook-endpoint', attributes: ['leaseUntil'], perMs: 1 },
  { kind: 'template-sync', attributes: ['syncedAt'], perMs: 1 },
  { kind: 'conversation', attributes: ['readAt'], perMs: 1 },
];

/** Lowers every watermark that lies after a time, epoch ms, to it. All else stays as it is. */
export const lowerWatermarks = async (url: string, { name, keyNames }: TableResource, now: number): Promise<void> => {
  const kinds = Object.fromEntries(watermarks.map(({ kind }, nth) => [`:kind${nth}`, { S: kind }]));
  const isWatermark = Object.keys(kinds).map((each) => `#kind = ${each}`);
  let from: JsonObject | undefined;
  do {
    const page = await awsCall(url, dynamodb('Scan'), {
      TableName: name,
      // the watermark was written before items had a kind
      FilterExpression: [...isWatermark, '#pk = :due'].join(' OR '),
      ExpressionAttributeNames: { '#kind': 'kind', '#pk': keyNames[0] ?? '' },
      ExpressionAttributeValues: { ...kinds, ':due': { S: 'DUE' } },
      ...(from ? { ExclusiveStartKey: from } : {}),
    });
    for (const item of listOf(page.Items).map(objectOf)) {
      const key = Object.fromEntries(keyNames.map((each) => [each, item[each] ?? '']));
      for (const { attribute, to } of watermarksAfter(item, now)) await lowerWatermark(url, name, { key, attribute, to });
    }
    from = page.LastEvaluatedKey ? objectOf(page.LastEvaluatedKey) : undefined;
  } while (from);
};

const watermarksAfter = (item: JsonObject, now: number): { attribute: string; to: number }[] => {
  const kind = textOf(objectOf(item.kind).S) ?? 'due-watermark';
  const { attributes = [], perMs = 1 } = watermarks.find((each) => each.kind === kind) ?? {};
  const to = now * perMs;
  return attributes.filter((each) => Number(textOf(objectOf(item[each]).N)) > to).map((attribute) => ({ attribute, to }));
};

const lowerWatermark = async (
  url: string,
  table: string,
  { key, attribute, to }: { key: JsonObject; attribute: string; to: number },
): Promise<void> => {
  await awsCall(url, dynamodb('UpdateItem'), {
    TableName: table,
    Key: key,
    UpdateExpression: 'SET #watermark = :to',
    ConditionExpression: '#watermark > :to',
    ExpressionAttributeNames: { '#watermark': attribute },
    ExpressionAttributeValues: { ':to': { N: String(to) } },
  }).catch((error: unknown) => {
    // it was set or removed meanwhile
    if (!(error instanceof AwsProblem && error.code === 'ConditionalCheckFailedException')) throw error;
  });
};
