import type { DynamoDBRecord } from 'aws-lambda';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { auditedKinds } from '../../functions/account/contract/audit.ts';
import { app } from '../../functions/app.ts';
import { deriveChangeStreamContext } from '../../functions/change-stream/context.ts';
import { processChanges } from '../../functions/change-stream/service/process-changes.ts';
import { listSetAsideChanges } from '../../functions/change-stream/service/set-aside.ts';
import { deriveDueWorkContext } from '../../functions/due-work/context.ts';
import { declaredRoles, generateRegistries, roleFile } from '../../lib/generate/registry.ts';
import { context } from '../../shared/contract/context.ts';
import { queue } from '../../shared/contract/queue.ts';
import { dueWork } from '../../shared/events/due.ts';
import { message, project, projectionTarget, reaction, reactionList } from '../../shared/events/react.ts';
import { entity } from '../../shared/table/entity.ts';
import { startTestApp } from '../support/test-app.ts';
import { shopContext } from './fixture/contexts.ts';
import { matchesPattern } from '../../lib/local/event-pattern.ts';
import type { Json } from '../../lib/local/json.ts';
import { templateOf } from './template.ts';

const root = join(import.meta.dirname, '..', '..');

describe.each(app)('what the context $name declares', (declaring) => {
  test.each(declaredRoles)('as %s is what its role file exports', async (role) => {
    const path = join(root, 'functions', roleFile(declaring.name, role));
    const exported = existsSync(path) ? ((await import(path)) as Record<string, unknown>)[role] : undefined;
    expect(declaring[role]).toBe(exported);
  });
});

test('the webhook data of an event is declared once, by a context of the event', () => {
  const declared = app.flatMap(({ events = [], webhookData = [] }) =>
    webhookData.flatMap(({ of }) => of.map((name) => ({ name, events }))),
  );
  expect(declared.length).toBeGreaterThan(0);
  expect(declared.filter(({ name, events }) => !events.some((event) => event.name === name))).toEqual([]);
  expect(new Set(declared.map(({ name }) => name)).size).toBe(declared.length);
});

test('the reactions of all contexts to a kind of items share one parser, beside that of its audit: an image is parsed once', () => {
  const parsers = Map.groupBy(
    app.flatMap((each) => each.reactions ?? []),
    ({ to }) => to,
  );
  const counts = [...parsers].map(([kind, all]) => ({ kind, parsers: new Set(all.map(({ parse }) => parse)).size }));
  expect(counts.filter(({ kind, parsers: count }) => count > (kind in auditedKinds ? 2 : 1))).toEqual([]);
  expect(parsers.get('message')?.length).toBeGreaterThan(5);
});

/** A context with one reaction, one projection and one kind of due work: no file of another context names any of them. */
const thing = z.object({ companyId: z.int(), id: z.int() });
const referenceOnly = { message: z.object({ id: z.int() }), workSeconds: 10, maxReceives: 2 };
const thingsQueue = queue({ name: 'things', purpose: 'New things', ...referenceOnly });
const otherQueue = queue({ name: 'others', purpose: 'Declared by nobody', ...referenceOnly });
const remindersQueue = queue({ name: 'reminders', purpose: 'Due things', ...referenceOnly });
const thingCounts = entity({
  name: 'thing-counts',
  purpose: 'How many things a company has',
  attributes: z.object({ companyId: z.int(), things: z.int(), rev: z.int(), checkpoints: z.record(z.string(), z.string()) }),
  key: ({ companyId }: { companyId: number }) => ({ pk: `C#${companyId}#THINGS`, sk: 'COUNT' }),
  idOf: ({ companyId }) => ({ companyId }),
  example: { pk: 'C#<company>#THINGS', sk: 'COUNT' },
});
const countsTarget = projectionTarget<{ companyId: number }, { companyId: number; things: number }>('thing-counts');
const reactionTo = (target: typeof thingsQueue) =>
  reaction({ name: 'thing', parse: (raw) => thing.parse(raw) }, ({ after }) =>
    after
      ? [
          message(target, after.companyId, { id: after.id }),
          project(countsTarget, { companyId: after.companyId }, (row) => ({ companyId: after.companyId, things: (row?.things ?? 0) + 1 })),
        ]
      : [],
  );
const reactions = reactionList({ sendsTo: [thingsQueue] }, [reactionTo(thingsQueue)]);
const due = [
  dueWork({
    name: 'thing',
    purpose: 'A thing is due',
    queue: remindersQueue,
    companyOf: () => 1,
    message: (reference) => ({ id: Number(reference) }),
  }),
];
const things = context({ name: 'some-things', purpose: 'A fixture', functions: [], reactions, projections: [thingCounts], due });

describe('a context that is added to the list', () => {
  test('wakes the stream consumer by its kinds, and gives it and the dispatcher its queues', () => {
    const [changes] = deriveChangeStreamContext([...app, things]).functions;
    const [dispatch] = deriveDueWorkContext([...app, things]).functions;
    const queuesOf = (uses: readonly { resource: string }[]): string[] =>
      uses.flatMap((use) => (use.resource === 'queue' ? [(use as { queue?: { name: string } }).queue?.name ?? ''] : []));
    expect(changes.quiet).not.toContain('thing');
    expect(changes.quiet).toContain('group-name');
    expect(queuesOf(changes.uses)).toEqual(expect.arrayContaining(['things', 'reminders']));
    expect(queuesOf(dispatch.uses)).toContain('reminders');
    expect(queuesOf(dispatch.uses)).not.toContain('things');
  });

  test('is in the filter of the stream that is deployed', () => {
    const [mapping] = templateOf([shopContext, deriveChangeStreamContext([things])])
      .ofType('AWS::Lambda::EventSourceMapping')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('FilterCriteria'));
    const { Filters = [] } = (mapping?.Properties['FilterCriteria'] ?? {}) as { Filters?: { Pattern: string }[] };
    expect(Filters.length).toBeGreaterThan(2);
    expect(Filters.every(({ Pattern }) => Pattern.length <= 4_096)).toBe(true);
    const isPassed = (kind: string): boolean =>
      Filters.some(({ Pattern }) =>
        matchesPattern(JSON.parse(Pattern) as Json, { eventName: 'INSERT', dynamodb: { NewImage: { kind: { S: kind } } } }),
      );
    // also of a kind that only another version knows: docs/decisions/two-versions.md
    expect(['thing', 'of-another-version', 'group-name'].map(isPassed)).toEqual([true, true, false]);
  });

  test('is imported by the generated registries, by role', () => {
    const texts = Object.fromEntries(generateRegistries([things]).map(({ path, content }) => [path, content]));
    expect(texts['functions/change-stream/registry.generated.ts']).toContain(
      "import { reactions as someThingsReactions } from '../some-things/reactions.ts';",
    );
    expect(texts['functions/change-stream/registry.generated.ts']).toContain(
      "import { projections as someThingsProjections } from '../some-things/projections.ts';",
    );
    expect(texts['functions/due-work/registry.generated.ts']).toContain("import { due as someThingsDue } from '../some-things/due.ts';");
    expect(texts['functions/messaging/registry.generated.ts']).not.toContain('some-things');
  });
});

describe('a change of its items', async () => {
  const testApp = await startTestApp({ contexts: [deriveChangeStreamContext([things]), deriveDueWorkContext([things])] });
  afterAll(() => testApp.stop());
  const insert = (sequence: string): DynamoDBRecord => ({
    eventID: sequence,
    eventName: 'INSERT',
    dynamodb: {
      SequenceNumber: sequence,
      ApproximateCreationDateTime: 1_800_000_000,
      NewImage: { kind: { S: 'thing' }, companyId: { N: '7' }, id: { N: sequence } },
    },
  });

  test('is carried out: the message is queued, the projection counts each change once', async () => {
    const registry = { reactions, projections: [thingCounts] };
    expect(await processChanges([insert('1'), insert('2')], 'shardId-1', registry)).toMatchObject({ done: '2' });
    expect(await processChanges([insert('2'), insert('3')], 'shardId-1', registry)).toMatchObject({ done: '3' });
    expect(await thingCounts.get({ companyId: 7 }, { consistent: true })).toMatchObject({ things: 3 });
    expect(testApp.queued(thingsQueue)).toEqual([{ id: 1 }, { id: 2 }, { id: 2 }, { id: 3 }]);
  });

  test('is set aside at a message to a queue that its list does not declare; a projection that no context declares fails the batch', async () => {
    const undeclared = reactionList({ sendsTo: [thingsQueue] }, [reactionTo(otherQueue)]);
    await processChanges([insert('11')], 'shardId-2', { reactions: undeclared, projections: [thingCounts] });
    expect(await listSetAsideChanges()).toMatchObject([{ eventId: '11', of: 'thing' }]);
    expect(testApp.queued(otherQueue)).toEqual([]);
    await expect(processChanges([insert('12')], 'shardId-2', { reactions, projections: [] })).rejects.toThrow('thing-counts');
  });
});
