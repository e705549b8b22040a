import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { recountCompany } from '../../functions/changes/service/recount.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { countsEntity } from '../../functions/contacts/store/digest.ts';
import { conversationEntity } from '../../functions/conversations/store.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { tableSchema } from '../../shared/table/schema.ts';
import { groupEntity } from '../../functions/contacts/store/group.ts';
import { inboundText, newCompany } from '../support/company.ts';
import { recountAll } from '../support/fault-injection.ts';
import { startTestApp } from '../support/test-app.ts';

const world = await startTestApp();
afterAll(() => world.stop());

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
    const post = (path: string, body: object) => world.call({ method: 'POST', path: `/api/v1${path}`, token: company.tokens.owner, body });
    for (let index = 0; index < 5; index++)
      await post('/contacts', {
        phone: `+49151000000${index}0`,
        name: `Name ${index}`,
        groups: index % 2 === 0 ? ['even'] : ['odd', 'all'],
      });
    await post('/crm/leads', { phone: '+4915100000010', title: 'A lead' });
    await post('/shop/categories', { name: 'Tea' });
    await world.drain({ including: 'delayed' });
    expect(await recountAll(world)).toEqual([]);

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
    await world.call(inboundText(company, { from: '4915112345678', text: 'Hello' }));
    await world.drain();
    const list = async (query: string) => {
      const answer = await world.call({ method: 'GET', path: `/api/v1/conversations?${query}`, token: tokens.member });
      return z
        .object({ data: z.array(z.object({ id: z.int() })) })
        .parse(answer.body)
        .data.map(({ id }) => id);
    };
    const [contactId = 0] = await list('limit=1');
    const assign = { path: `/api/v1/conversations/${contactId}`, token: tokens.member, body: { assigned_to: users.member } };
    expect((await world.call({ method: 'PUT', ...assign })).status).toBe(200);
    await world.drain();
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
    await world.drain();
    expect(await list('view=mine')).toEqual([contactId]);
    const after = await conversationEntity.get({ companyId, contactId }, { consistent: true });
    expect(after).toEqual({ ...before, rev: (before?.rev ?? 0) + 1 });
    expect(await recountCompany(companyId, options)).toEqual([]);
  });

  test('leaves alone what the change stream has still to bring', async () => {
    const company = await newCompany();
    await world.call({ method: 'POST', path: '/api/v1/contacts', token: company.tokens.owner, body: { phone: '+4915100000099' } });
    const untilBrought = () => world.drain({ including: 'delayed' });
    const found = await recountCompany(company.id, { ...options, shouldWrite: true, untilBrought });
    expect(found.filter(({ outcome }) => outcome === 'put right')).toEqual([]);
    await world.drain({ including: 'delayed' });
    expect(await recountCompany(company.id, options)).toEqual([]);
  });
});
