import { expect, test } from 'vitest';
import * as z from 'zod';
import { above, all, any, below, equals, exists, missing, oneOf, unchanged } from '../../shared/table/condition.ts';
import { entity } from '../../shared/table/entity.ts';
import { commit } from '../../shared/table/transaction.ts';

/**
 * What must not compile. Each `@ts-expect-error` is held by the type check: the day one of these compiles, it fails. Nothing here is
 * called.
 */
const task = entity({
  name: 'compile-time-task',
  purpose: 'For tests',
  attributes: z.object({
    id: z.int(),
    status: z.enum(['open', 'done']),
    rev: z.int(),
    title: z.string().optional(),
    dueAt: z.int().optional(),
  }),
  key: ({ id }: { id: number }) => ({ pk: `CT#${id}`, sk: 'T' }),
  idOf: ({ id }) => ({ id }),
  indexedBy: ['id', 'dueAt'],
  indexes: ({ id, dueAt }) => ({ due: dueAt === undefined ? undefined : { pk: 'DUE', sk: `${dueAt}#${id}` } }),
  example: { pk: 'CT#<id>', sk: 'T' },
});

/** An open schema: declared attributes, and counters named `<group>:<name>`. */
const limit = entity({
  name: 'compile-time-limit',
  purpose: 'For tests',
  attributes: z.looseObject({ id: z.int(), blockedUntil: z.int().optional() }),
  key: ({ id }: { id: number }) => ({ pk: `CL#${id}`, sk: 'L' }),
  idOf: ({ id }) => ({ id }),
  example: { pk: 'CL#<id>', sk: 'L' },
});

const id = { id: 1 };
const item = { id: 1, status: 'open' as const, rev: 1 };
const title: string | undefined = Math.random() > 2 ? 'a' : undefined;

export const right = [
  () => task.put(item, missing()),
  () => task.put(item, any(missing('rev'), equals('rev', item.rev))),
  () => task.change(id, { set: { status: 'done', title: undefined }, add: { rev: 1 } }, all(exists(), equals('status', 'open'))),
  () => task.change(id, { remove: ['title'] }, all(oneOf('status', ['open', 'done']), ...(title ? [equals('title', title)] : []))),
  () => task.change(id, { setOnce: { title: 'a' } }, unchanged('title', title)),
  () => task.update(item, { set: { dueAt: 5 } }, equals('rev', 1)),
  () => task.update({ id: 1 }, { set: { dueAt: undefined, status: 'done' } }, exists()),
  () => task.query({ pk: 'CT', filter: above('rev', 3) }),
  () => limit.change(id, { add: { 'n:5:send': 1 }, remove: ['n:4:send'] }, any(missing('n:5:send'), below('n:5:send', 5))),
];

export const conditions = [
  // @ts-expect-error a misspelt field
  () => task.put(item, equals('staus', 'open')),
  // @ts-expect-error a value that the field never has
  () => task.put(item, equals('status', 'opened')),
  // @ts-expect-error a number compared with a text
  () => task.put(item, below('rev', '3')),
  // @ts-expect-error a value that may be missing: `unchanged` is for that
  () => task.put(item, equals('title', title)),
  // @ts-expect-error one of several values is wrong
  () => task.put(item, oneOf('status', ['open', 'gone'])),
  // @ts-expect-error an unknown field in a tree
  () => task.delete(id, all(exists(), any(missing('owner'), equals('rev', 1)))),
  // @ts-expect-error an unknown field in one branch of a spread
  () => task.checking(id, all(exists(), ...(title ? [equals('tile', title)] : []))),
  // @ts-expect-error an unknown field in a filter
  () => task.query({ pk: 'CT', filter: above('revision', 3) }),
  // @ts-expect-error the condition of another entity
  () => limit.delete(id, equals('status', 'open')),
  // @ts-expect-error an undeclared field that is not a counter
  () => limit.delete(id, below('count', 5)),
];

const described = {
  name: 'compile-time-reserved',
  purpose: 'For tests',
  key: ({ id }: { id: number }) => ({ pk: `CR#${id}`, sk: 'R' }),
  idOf: ({ id }: { id: number }) => ({ id }),
  example: { pk: 'CR#<id>', sk: 'R' },
};

/** An attribute of such a name would replace what the layer writes under it. */
export const reserved = [
  () => entity({ ...described, attributes: z.object({ id: z.int() }) }),
  // @ts-expect-error the kind of the item, by which the stream is filtered
  () => entity({ ...described, attributes: z.object({ id: z.int(), kind: z.string() }) }),
  // @ts-expect-error the same, in an open schema
  () => entity({ ...described, attributes: z.looseObject({ id: z.int(), kind: z.string() }) }),
  // @ts-expect-error its sort key
  () => entity({ ...described, attributes: z.object({ id: z.int(), sk: z.string() }) }),
  // @ts-expect-error its expiry
  () => entity({ ...described, attributes: z.object({ id: z.int(), ttl: z.int() }) }),
  // @ts-expect-error the token of a conditional write
  () => entity({ ...described, attributes: z.object({ id: z.int(), w: z.string() }) }),
  // @ts-expect-error the key of an index
  () => entity({ ...described, attributes: z.object({ id: z.int(), due_pk: z.string() }) }),
  // @ts-expect-error the present name of a former one is not an attribute
  () => entity({ ...described, attributes: z.object({ id: z.int() }), renamed: { kind: 'what' } }),
];

export const changes = [
  // @ts-expect-error an unknown field
  () => task.change(id, { set: { stat: 'done' } }),
  // @ts-expect-error a value that the field never has
  () => task.change(id, { set: { status: 'finished' } }),
  // @ts-expect-error an unknown field, set once
  () => task.change(id, { setOnce: { name: 'a' } }),
  // @ts-expect-error a text cannot be added to
  () => task.change(id, { add: { title: 1 } }),
  // @ts-expect-error an unknown field is removed
  () => task.change(id, { remove: ['titel'] }),
  // @ts-expect-error an index key depends on dueAt: `update` derives it
  () => task.change(id, { set: { dueAt: 5 } }),
  // @ts-expect-error removed, it takes the item out of its index too
  () => task.changing(id, { remove: ['dueAt'] }),
  // @ts-expect-error index attributes are not written by hand
  () => task.update(item, { set: { due_pk: 'DUE' } }),
  // @ts-expect-error an item seen without its id cannot be updated
  () => task.update({ dueAt: 3 }, { set: { dueAt: 5 } }),
  // @ts-expect-error a field of the open schema that is not a counter
  () => limit.change(id, { add: { calls: 1 } }),
];

export const transactions = [
  async () => {
    const committed = await commit({ task: task.putting(item, missing()), limits: [limit.deleting(id)], nothing: undefined });
    if (committed.done) return undefined;
    // @ts-expect-error no part has this name
    const { other } = committed.refused;
    // @ts-expect-error the item of this part has no such field
    const owner = committed.refused.task?.current?.owner;
    return [other, owner, committed.refused.task?.current?.status === 'open', committed.refused.limits?.[0]?.place === 0];
  },
];

test('right conditions, changes and transactions compile; the wrong ones above are held by the type check', () => {
  expect([right, conditions, changes, transactions].flat().length).toBe(30);
});
