import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { dynamo, tableName } from '../../shared/table/client.ts';
import type { Scenario } from '../scenario.ts';
import { withFixture } from '../scenario.ts';

const calls = 2_000;
const rounds = 8;
const concurrency = 16;

export const scenario: Scenario = {
  name: 'table-call',
  description: `An UpdateItem of eight values with ALL_NEW by the product's table client, ${concurrency} at once: CPU of the process, the least of ${rounds} rounds, which other programs disturbed least`,
  deterministic: false,
  measure: () =>
    withFixture(async () => {
      const round = async (): Promise<number> => {
        const before = process.cpuUsage();
        let next = 0;
        await Promise.all(
          Array.from({ length: concurrency }, async () => {
            while (next++ < calls) await update(next);
          }),
        );
        const { user, system } = process.cpuUsage(before);
        return (user + system) / 1_000 / calls;
      };
      await round();
      const measured: number[] = [];
      while (measured.length < rounds) measured.push(await round());
      return [{ name: 'UpdateItem, own CPU a call', unit: 'ms', value: Math.min(...measured), atMost: 0.5, isGoal: true }];
    }),
};

const update = (nth: number) =>
  dynamo.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: { pk: `C#1#BENCH#${nth % 500}`, sk: 'ROW' },
      UpdateExpression: 'SET #a = :a, #b = :b, #c = :c, #d = :d, #e = :e, #f = :f, #g = :g ADD #n :n',
      ExpressionAttributeNames: { '#a': 'a', '#b': 'b', '#c': 'c', '#d': 'd', '#e': 'e', '#f': 'f', '#g': 'g', '#n': 'n' },
      ExpressionAttributeValues: {
        ':a': 'accepted',
        ':b': `wamid.${nth}`,
        ':c': nth,
        ':d': true,
        ':e': ['one', 'two'],
        ':f': { name: 'Ada', city: 'Turin' },
        ':g': 1_795_000_000_000,
        ':n': 1,
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
