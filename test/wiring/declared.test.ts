import * as z from 'zod';
import { describe, expect, test } from 'vitest';
import { addressesOf } from '../../lib/aws/addresses.ts';
import { declarationsOf, functionsInQueueCycles } from '../../lib/aws/declared.ts';
import type { Context } from '../../shared/contract/context.ts';
import { queue } from '../../shared/contract/queue.ts';
import { sendsTo } from '../../shared/contract/resource.ts';
import { fixture, jobs, shopContext, workContext } from './fixture/contexts.ts';
import { templateOf } from './template.ts';

const with_ = (functions: Context['functions']): Context[] => [{ name: 'x', purpose: 'x', functions }];
const entry = 'test/wiring/fixture/entry.ts';

describe('what the contexts declare', () => {
  test('is made once, however many use it', () => {
    expect(declarationsOf(fixture).queues.map(({ name }) => name)).toEqual(['jobs', 'pages']);
    expect(declarationsOf(fixture).buckets.map(({ name }) => name)).toEqual(['files']);
  });

  test('two queues of one name are an error', () => {
    const other = queue({ name: 'jobs', purpose: 'Another', workSeconds: 1, maxReceives: 1, message: z.object({}) });
    const contexts = with_([{ name: 'a', entry, trigger: 'http', routes: {}, uses: [sendsTo(jobs), sendsTo(other)] }]);
    expect(() => declarationsOf(contexts)).toThrow('Two different queue declarations have the name jobs.');
  });

  test('two functions of one name are an error', () => {
    expect(() => declarationsOf([...fixture, ...with_([{ name: 'shop-http', entry, trigger: 'http', routes: {}, uses: [] }])])).toThrow(
      'Two different function declarations have the name shop-http.',
    );
  });

  test('two readers of a queue, or of the stream, are an error', () => {
    const reader = { entry, trigger: 'queue', queue: jobs, batchSize: 1, maxConcurrency: 2, uses: [] } as const;
    const second = with_([{ name: 'second', ...reader }]);
    expect(() => declarationsOf([workContext, ...second])).toThrow('The queue jobs has two consumers: jobs-worker and second.');
    const stream = with_([{ name: 'second-stream', entry, trigger: 'stream', batchSize: 1, quiet: ['note'], uses: [] }]);
    expect(() => declarationsOf([workContext, ...stream])).toThrow('one consumer');
  });

  test('one address of two routes is an error', () => {
    const again = { ...shopContext.functions[0], name: 'again' };
    expect(() => addressesOf(declarationsOf([shopContext, ...with_([again])]).http)).toThrow(
      '/api/v1/items is served by two functions: again and shop-http.',
    );
  });

  test('one method of two routes at a path is an error', () => {
    const spec = shopContext.functions[0];
    const { list } = spec.routes;
    const twice = with_([{ ...spec, routes: { list, other: list } }]);
    expect(() => addressesOf(declarationsOf(twice).http)).toThrow(
      'GET /api/v1/items is declared twice: by shop-http/list and by shop-http/other.',
    );
  });

  test('a worker that sends to itself is in a circle, and told to Lambda as meant', () => {
    expect([...functionsInQueueCycles(declarationsOf(fixture).functions)]).toEqual(['pages-worker']);
    const loops = templateOf(fixture)
      .ofType('AWS::Lambda::Function')
      .filter(({ Properties }) => Properties['RecursiveLoop'] === 'Allow')
      .map(({ Properties }) => Properties['FunctionName']);
    expect(loops).toEqual(['switchboard-pages-worker']);
  });
});
