import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { recountCompany } from '../../functions/change-stream/service/recount.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { countsEntity } from '../../functions/contacts/store/digest.ts';
import { conversationEntity } from '../../functions/conversations/store/conversation.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { groupEntity } from '../../functions/contacts/store/group.ts';
import { inboundText, newCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { startTestApp } from '../support/test-app.ts';
import { mendedBy } from '../support/mutation.ts';

const testApp = await startTestApp();
afterAll(() => testApp.stop());

const options = {
  reactions: app.flatMap(({ reactions }) => reactions ?? []),
  recounts: app.flatMap(({ recounts }) => recounts ?? []),
  shouldWrite: false,
  untilBrought: () => Promise.resolve(),
};

describe('a recount', () => {
  test('every projection of every context says how it is recounted, or that no item keeps what it says', () => {
    for (const { name, projections = [], recounts = [] } of app)
      expect(recounts.map(({ entity }) => entity.name).toSorted(), name).toEqual(projections.map(({ name: each }) => each).toSorted());
  });

  test('finds no difference after work that came in order; names and puts right what was changed by hand, and that alone', async () => {
    const company = await newCompany();
    const post = (path: string, body: object) =>
      testApp.call({ method: 'POST', path: `/api/v1${path}`, token: company.tokens.owner, body });
    for (let index = 0; index < 5; index++)
      await post('/contacts', {
        phone: `+49151000000${index}0`,
        name: `Name ${index}`,
        groups: index % 2 === 0 ? ['even'] : ['odd', 'all'],
      });
    await post('/crm/leads', { phone: '+4915100000010', title: 'A lead' });
    await post('/shop/categories', { name: 'Tea' });
    await testApp.drain({ including: 'delayed' });
    expect(await recountAll(testApp)).toEqual([]);

    const companyId = company.id;
    const counter = { companyId, of: 'contact' };
    const [group] = await groupEntity.collect({ pk: groupEntity.key({ companyId, id: 1 }).pk });
    const counts = await countsEntity.get({ companyId, row: 0 });
    if (!group || !counts) throw new Error('The projections are missing.');
    await counterEntity.change(counter, { set: { total: 99 } });
    await groupEntity.change({ companyId, id: group.id }, { set: { contactsCount: group.contactsCount - 1 } });
    await countsEntity.delete({ companyId, row: 0 });
    const differs = await recountCompany(companyId, options);
    expect(
      differs
        .map(({ projection, stored, recounted, outcome }) => [projection, stored, recounted, outcome])
        .toSorted((a, b) => String(a[0]).localeCompare(String(b[0]))),
    ).toEqual([
      ['contact-counts', undefined, undefined, 'differs'],
      ['counter', 99, 5, 'differs'],
      ['group', group.contactsCount - 1, group.contactsCount, 'differs'],
    ]);
    const right = await recountCompany(companyId, { ...options, shouldWrite: true });
    expect(right.map(({ outcome }) => outcome)).toEqual(['put right', 'put right', 'put right']);
    expect(await recountCompany(companyId, options)).toEqual([]);
    expect(await counterEntity.get(counter, { consistent: true })).toMatchObject({ total: 5, lastId: 5 });
    expect(await countsEntity.get({ companyId, row: 0 }, { consistent: true })).toMatchObject({ counts: counts.counts });
  });

  test('brings a conversation that was assigned before there was an index by assignee into the list of its user, and changes nothing else', async () => {
    const company = await newCompany({ roles: ['member', 'owner'] });
    const { id: companyId, users, tokens } = company;
    await testApp.call(inboundText(company, { from: '4915112345678', text: 'Hello' }));
    await testApp.drain();
    const list = async (query: string) => {
      const answer = await testApp.call({ method: 'GET', path: `/api/v1/conversations?${query}`, token: tokens.member });
      return z
        .object({ data: z.array(z.object({ id: z.int() })) })
        .parse(answer.body)
        .data.map(({ id }) => id);
    };
    const [contactId = 0] = await list('limit=1');
    const assign = { path: `/api/v1/conversations/${contactId}`, token: tokens.member, body: { assigned_to: users.member } };
    expect((await testApp.call({ method: 'PUT', ...assign })).status).toBe(200);
    await testApp.drain();
    expect(await list('view=mine')).toEqual([contactId]);
    const { partitionKey, sortKey } = tableSchema.indexes.assignee;
    await dynamo.send(
      new UpdateCommand({
        TableName: tableName(),
        Key: conversationEntity.key({ companyId, contactId }),
        UpdateExpression: 'REMOVE #pk, #sk',
        ExpressionAttributeNames: { '#pk': partitionKey, '#sk': sortKey },
      }),
    );
    expect(await list('view=mine')).toEqual([]);
    const before = await conversationEntity.get({ companyId, contactId }, { consistent: true });
    const differs = await recountCompany(companyId, options);
    expect(differs.map(({ projection, outcome }) => [projection, outcome])).toEqual([['conversation', 'differs']]);
    expect((await recountCompany(companyId, { ...options, shouldWrite: true })).map(({ outcome }) => outcome)).toEqual(['put right']);
    await testApp.drain();
    expect(await list('view=mine')).toEqual([contactId]);
    const after = await conversationEntity.get({ companyId, contactId }, { consistent: true });
    expect(after).toEqual({ ...before, rev: (before?.rev ?? 0) + 1 });
    expect(await recountCompany(companyId, options)).toEqual([]);
  });

  mendedBy(
    'puts right every field that it compares: each was changed by hand, and a second recount finds nothing',
    { in: 'functions/conversations/recounts.ts', replace: "...(isUnreadComparable(stored) ? (['unread'] as const) : []),", by: '' },
    async () => {
      const company = await newCompany();
      const post = (path: string, body: object) =>
        testApp.call({ method: 'POST', path: `/api/v1${path}`, token: company.tokens.owner, body });
      await post('/contacts', { phone: '+4915100000110', name: 'Name', groups: ['even'] });
      await post('/shop/categories', { name: 'Tea' });
      await testApp.call(inboundText(company, { from: '4915112345679', text: 'Hello' }));
      await testApp.call(inboundText(company, { from: '4915112345679', text: 'Again' }));
      await testApp.drain({ including: 'delayed' });
      const changed = new Set<string>();
      for (const rule of options.recounts) {
        const rows = (await testApp.dump({ kind: rule.entity.name })).filter((row) => row['companyId'] === company.id);
        for (const row of rows)
          for (const field of rule.fields?.(row) ?? []) {
            const value = otherThan(row[field]);
            if (value === undefined) continue;
            await dynamo.send(
              new UpdateCommand({
                TableName: tableName(),
                Key: { pk: row['pk'], sk: row['sk'] },
                UpdateExpression: 'SET #field = :value',
                ExpressionAttributeNames: { '#field': field },
                ExpressionAttributeValues: { ':value': value },
              }),
            );
            const found = await recountCompany(company.id, { ...options, shouldWrite: true });
            if (found.length > 0) changed.add(`${rule.entity.name}.${field}`);
            expect(await recountCompany(company.id, options), `${rule.entity.name}.${field}`).toEqual([]);
          }
      }
      expect([...changed]).toEqual(
        expect.arrayContaining(['conversation.unread', 'conversation.inboundAtByNumber', 'group.contactsCount']),
      );
    },
  );

  test('leaves alone what the change stream has still to bring', async () => {
    const company = await newCompany();
    await testApp.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone: '+4915100000099' } });
    const untilBrought = () => testApp.drain({ including: 'delayed' });
    const found = await recountCompany(company.id, { ...options, shouldWrite: true, untilBrought });
    expect(found.filter(({ outcome }) => outcome === 'put right')).toEqual([]);
    await testApp.drain({ including: 'delayed' });
    expect(await recountCompany(company.id, options)).toEqual([]);
  });
});

/** Another value of the same form; undefined where there is none. */
const otherThan = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1_000;
  if (Array.isArray(value)) return value.length > 0 ? [] : undefined;
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return undefined;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, typeof each === 'number' ? each - 1 : each]));
};
