import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxPendingTasks } from '../../functions/crm/domain/lead.ts';
import { getStoredLead, updateStoredLead } from '../../functions/crm/store/lead.ts';
import { type Crm, type CrmFixture, newKey, startFixture } from './fixture.ts';

let fixture: CrmFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

const newLead = async (crm: Crm): Promise<{ id: number }> => {
  const pipeline = await crm.pipeline('sales');
  const body = { contact_id: await crm.contact(), pipeline_id: pipeline.id, title: 'Roof', creation_key: newKey() };
  return crm.lead(body);
};
const dueAt = '2027-02-01T09:00:00+01:00';

test('one retry key makes one task, however many ask at once; the same key with other content is refused', async () => {
  const crm = await fixture.company();
  const { id } = await newLead(crm);
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => crm.call('POST', `/leads/${id}/tasks`, { title: 'Call', due_at: dueAt, retry_key: key })),
  );
  const ids = new Set(answers.map(({ body }) => (body as { data: { id: number } }).data.id));
  expect(ids.size).toBe(1);
  expect((await crm.call('GET', `/leads/${id}`)).body).toMatchObject({ data: { pending_tasks_count: 1 } });
  expect((await crm.call('POST', `/leads/${id}/tasks`, { title: 'Visit', due_at: dueAt, retry_key: key })).status).toBe(409);
});

test('a closed task is neither completed nor cancelled nor changed again', async () => {
  const crm = await fixture.company();
  const { id: leadId } = await newLead(crm);
  const { id, version } = await crm.task(leadId, { title: 'Call', due_at: dueAt });
  const path = `/leads/${leadId}/tasks/${id}`;
  const closed = await crm.call('PUT', `${path}/complete`, { outcome_notes: 'Done', version });
  expect(closed).toMatchObject({ status: 200, body: { data: { status: 'completed', outcome_notes: 'Done' } } });
  const next = (closed.body as { data: { version: number } }).data.version;
  for (const [method, end, body] of [
    ['PUT', '/complete', { outcome_notes: 'Again', version: next }],
    ['PUT', '/cancel', { cancellation_reason: 'No', version: next }],
    ['PATCH', '', { title: 'Other', version: next }],
  ] as const)
    expect(await crm.call(method, `${path}${end}`, body)).toMatchObject({ status: 409, body: { code: 'task_not_pending' } });
  expect((await crm.call('GET', `/leads/${leadId}`)).body).toMatchObject({ data: { pending_tasks_count: 0, next_action: null } });
});

test('a lead takes only so many pending tasks, and says which field is meant', async () => {
  const crm = await fixture.company();
  const { id } = await newLead(crm);
  const lead = await getStoredLead(crm.company.id, id, { consistent: true });
  if (!lead) throw new Error('The lead is not there.');
  const due = Date.UTC(2027, 1, 1);
  const pending = Array.from({ length: maxPendingTasks }, (_, nth) => [due + nth, 1_000 + nth] as const);
  expect(await updateStoredLead({ ...lead, rev: lead.rev + 1, pending, nextTitle: 'Call' })).toEqual({ done: true });
  const answer = await crm.call('POST', `/leads/${id}/tasks`, { title: 'One more', due_at: dueAt });
  expect(answer).toMatchObject({ status: 422, body: { errors: { lead_id: expect.any(Array) } } });
});
