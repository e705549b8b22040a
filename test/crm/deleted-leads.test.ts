import { afterAll, expect, test } from 'vitest';
import { activitiesOf, leadOf, leadsOf, newPhone, refusalOf, startFixture, taskOf } from './fixture.ts';

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const crm = await fixture.company();
const pipeline = await crm.pipeline();
const newLead = async () => crm.lead({ contact_id: await crm.contact(newPhone(), 'Ada'), pipeline_id: pipeline.id, value: 10 });
const idsOf = async (query: string): Promise<number[]> => leadsOf(await crm.call('GET', `/leads?${query}`)).data.map(({ id }) => id);
const created = async (): Promise<number> => {
  const answer = await crm.call('GET', '/reports');
  return (answer.body as { data: { totals: { created: number } } }).data.totals.created;
};

test('a deleted lead is in no list, board, search or report, answers nothing but its restore, and its tasks are cancelled', async () => {
  const [other, lead] = [await newLead(), await newLead()];
  const due = new Date(testApp.clock.now() + 3_600_000).toISOString();
  const task = taskOf(await crm.call('POST', `/leads/${lead.id}/tasks`, { title: 'Call', due_at: due }));
  await crm.call('POST', `/leads/${lead.id}/notes`, { body: 'Stays' });
  await testApp.drain();
  const before = await created();
  expect((await crm.call('DELETE', `/leads/${lead.id}`)).status).toBe(200);
  // at once, before any projection
  expect(await idsOf('limit=50')).not.toContain(lead.id);
  await testApp.drain();
  const queries = ['limit=50', `pipeline_id=${pipeline.id}`, `contact_id=${lead.contact_id}`, 'search=Ada', 'unassigned=1', 'outcome=open'];
  for (const query of queries) expect(await idsOf(query), query).not.toContain(lead.id);
  expect(await idsOf('search=Ada')).toContain(other.id);
  expect((await crm.call('GET', `/board?pipeline_id=${pipeline.id}`)).raw).not.toContain(lead.creation_key);
  expect(await created()).toBe(before - 1);
  expect(leadsOf(await crm.call('GET', '/leads')).meta.total).toBe(leadsOf(await crm.call('GET', '/leads?limit=100')).data.length);
  expect(await idsOf('deleted=1')).toEqual([lead.id]);
  expect(await idsOf(`deleted=1&pipeline_id=${pipeline.id}&search=Ada`)).toEqual([lead.id]);
  expect(await idsOf(`deleted=1&contact_id=${other.contact_id}`)).toEqual([]);
  for (const answer of [
    await crm.call('GET', `/leads/${lead.id}`),
    await crm.call('DELETE', `/leads/${lead.id}`),
    await crm.call('PATCH', `/leads/${lead.id}`, { version: lead.version + 1, title: 'New' }),
    await crm.call('PUT', `/leads/${lead.id}/stage`, { version: lead.version + 1, stage_id: pipeline.stages[1]?.id }),
    await crm.call('POST', `/leads/${lead.id}/notes`, { body: 'Late' }),
    await crm.call('POST', `/leads/${lead.id}/tasks`, { title: 'Late', due_at: due }),
    await crm.call('GET', `/leads/${lead.id}/activities`),
  ])
    expect(refusalOf(answer)).toEqual([404, 'not_found']);
  expect((await crm.call('GET', '/tasks?status=pending')).raw).not.toContain(`"id":${task.id},`);
  await testApp.passTime(7_200);
  expect(await testApp.dump({ kind: 'message', companyId: crm.company.id })).toEqual([]);
});

test('a restored lead is where it was, with its notes and timeline; restoring it again changes nothing', async () => {
  const lead = await newLead();
  await crm.call('POST', `/leads/${lead.id}/notes`, { body: 'Stays' });
  await testApp.drain();
  const before = await created();
  await crm.call('DELETE', `/leads/${lead.id}`);
  await testApp.drain();
  const restored = leadOf(await crm.call('POST', `/leads/${lead.id}/restore`));
  expect(restored).toMatchObject({ id: lead.id, stage_id: lead.stage_id, title: lead.title, value: 10 });
  expect(leadOf(await crm.call('POST', `/leads/${lead.id}/restore`)).version).toBe(restored.version);
  await testApp.drain();
  expect(await idsOf(`pipeline_id=${pipeline.id}&limit=100`)).toContain(lead.id);
  expect(await idsOf('deleted=1')).not.toContain(lead.id);
  expect(await created()).toBe(before);
  const types = activitiesOf(await crm.call('GET', `/leads/${lead.id}/activities`)).data.map(({ type }) => type);
  expect(types).toEqual(['lead.restored', 'lead.deleted', 'note.added', 'lead.created']);
  expect(refusalOf(await crm.call('POST', '/leads/987654/restore'))).toEqual([404, 'not_found']);
});

test('a creation key whose lead was deleted creates no second one: 409 names the lead', async () => {
  const body = {
    contact_id: await crm.contact(newPhone(), 'Bo'),
    pipeline_id: pipeline.id,
    title: 'Roof',
    creation_key: '8f2ad3f0-3f0a-4d0a-8a55-0a4a6a6f1c11',
  };
  const lead = leadOf(await crm.call('POST', '/leads', body));
  await crm.call('DELETE', `/leads/${lead.id}`);
  expect(refusalOf(await crm.call('POST', '/leads', body))).toEqual([409, 'creation_key_reused']);
});

test('ten deletions and restores at once leave a lead that is either, with one row in one cell', async () => {
  const lead = await newLead();
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => (n % 2 ? crm.call('POST', `/leads/${lead.id}/restore`) : crm.call('DELETE', `/leads/${lead.id}`))),
  );
  await testApp.drain();
  const isThere = (await crm.call('GET', `/leads/${lead.id}`)).status === 200;
  expect([await idsOf('limit=100'), await idsOf('deleted=1&limit=100')].map((ids) => ids.includes(lead.id))).toEqual([isThere, !isThere]);
});
