import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { type LeadFilter, Model, type TaskFilter } from './model.ts';
import { type Crm, leadsOf, ms, newKey, newPhone, startFixture, tasksOf } from './fixture.ts';

/**
 * Lists longer than what is read live: pages come out of cells, which the change stream keeps. Every combination of filters is held
 * against the plain model, to the last row, by page number and by cursor.
 */
const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;
const random = seeded(7);
const combinations = runSize(5, 30);
const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;

let crm: Crm;
let model: Model;
let pipelines: { id: number; stages: { id: number; outcome: 'open' | 'won' | 'lost' }[] }[];
let contacts: number[];
let people: number[];

beforeAll(async () => {
  crm = await fixture.company();
  pipelines = [await crm.pipeline('simple'), await crm.pipeline('sales')];
  const cards = Array.from({ length: 6 }, (_, index) => ({ name: `Person ${index} Łuk`, phone: newPhone() }));
  contacts = [];
  for (const { phone, name } of cards) contacts.push(await crm.contact(phone, name));
  people = [crm.company.users.member, crm.company.users.admin, crm.company.users.owner];
  model = new Model(
    crm.company,
    new Map(pipelines.flatMap(({ stages }) => stages.map(({ id, outcome }) => [id, outcome] as const))),
    new Map(contacts.map((id, index) => [id, `${cards[index]?.name}\n${cards[index]?.phone}`] as const)),
  );
  for (let n = 0; n < runSize(50, 120); n++) await addLead(n);
  await testApp.drain();
  for (let n = 0; n < runSize(45, 140); n++) await addTask(n);
  await testApp.drain();
  for (let n = 0; n < runSize(20, 60); n++) await changeSomething(n);
  await testApp.drain();
  // some tasks fall due: their leads go to the overdue ones
  await testApp.passTime(3 * 3_600);
});

async function addLead(n: number): Promise<void> {
  const pipeline = pick(pipelines);
  const lead = await crm.lead({
    contact_id: pick(contacts),
    pipeline_id: pipeline.id,
    title: `${pick(['Roof', 'Solar', 'Küche'])} ${n}`,
    ...(random() < 0.7 ? { owner_id: pick(people) } : {}),
    ...(random() < 0.5 ? { requirement: 'As soon as possible' } : {}),
    creation_key: newKey(),
  });
  model.leads.set(lead.id, {
    id: lead.id,
    contactId: lead.contact_id,
    pipelineId: lead.pipeline_id,
    stageId: lead.stage_id,
    title: lead.title,
    requirement: lead.requirement,
    ownerId: lead.owner_id,
    value: null,
    lostReason: null,
    version: 1,
    touched: model.touch(),
    entries: [],
    notes: [],
  });
}

async function addTask(n: number): Promise<void> {
  const lead = pick([...model.leads.values()]);
  const due = testApp.clock.now() + Math.floor((random() * 10 - 3) * 3_600) * 1_000;
  const assigneeId = pick(people);
  const task = await crm.task(lead.id, { title: `Task ${n}`, due_at: new Date(due).toISOString(), assignee_id: assigneeId });
  model.tasks.set(task.id, {
    id: task.id,
    leadId: lead.id,
    title: task.title,
    dueAt: ms(task.due_at),
    assigneeId,
    status: 'pending',
    version: 1,
  });
}

async function changeSomething(n: number): Promise<void> {
  if (n % 3 === 0) {
    const task = pick([...model.tasks.values()].filter(({ status }) => status === 'pending'));
    await crm.call('PUT', `/leads/${task.leadId}/tasks/${task.id}/complete`, { version: task.version, notes: 'Done' });
    Object.assign(task, { status: 'completed', version: task.version + 1 });
    return;
  }
  const lead = pick([...model.leads.values()]);
  const target = pick(pipelines.find(({ id }) => id === lead.pipelineId)?.stages ?? []);
  if (target.id === lead.stageId) return;
  await crm.call('PUT', `/leads/${lead.id}/stage`, { version: lead.version, stage_id: target.id, lost_reason: 'Price' });
  Object.assign(lead, { stageId: target.id, version: lead.version + 1, touched: model.touch() });
}

const queryText = (filter: object): string =>
  Object.entries(filter)
    .map(([name, value]) => `&${name}=${encodeURIComponent(String(value))}`)
    .join('');

async function leadPages(filter: LeadFilter, perPage: number): Promise<{ byCursor: number[]; byNumber: number[]; totals: number[] }> {
  const [byCursor, byNumber, totals]: [number[], number[], number[]] = [[], [], []];
  let cursor: string | null = null;
  for (let page = 1; page < 100; page++) {
    const pointed = leadsOf(await crm.call('GET', `/leads?per_page=${perPage}${cursor ? `&cursor=${cursor}` : ''}${queryText(filter)}`));
    const numbered = leadsOf(await crm.call('GET', `/leads?per_page=${perPage}&page=${page}${queryText(filter)}`));
    byCursor.push(...pointed.data.map(({ id }) => id));
    byNumber.push(...numbered.data.map(({ id }) => id));
    totals.push(numbered.meta.total);
    cursor = pointed.meta.next_cursor;
    if (cursor === null) break;
  }
  return { byCursor, byNumber, totals };
}

describe('leads', () => {
  const someFilter = (): LeadFilter => {
    const pipeline = pick(pipelines);
    return {
      ...(random() < 0.2 ? { contact_id: pick(contacts) } : {}),
      ...(random() < 0.3 ? { pipeline_id: pipeline.id } : {}),
      ...(random() < 0.2 ? { stage_id: pick(pipeline.stages).id } : {}),
      ...(random() < 0.3 ? { owner_id: pick(people) } : {}),
      ...(random() < 0.3 ? { outcome: pick(['open', 'won', 'lost'] as const) } : {}),
      ...(random() < 0.2 ? { unassigned: random() < 0.5 } : {}),
      ...(random() < 0.3 ? { needs_next_action: random() < 0.5 } : {}),
      ...(random() < 0.3 ? { overdue_follow_up: random() < 0.5 } : {}),
      ...(random() < 0.3 ? { search: pick(['solar', 'KÜCHE 1', 'possible', 'łuk', '9']) } : {}),
    };
  };
  const each: LeadFilter[] = [
    { unassigned: true },
    { needs_next_action: true },
    { needs_next_action: false },
    { overdue_follow_up: true },
    { overdue_follow_up: false },
    { outcome: 'open' },
    { outcome: 'lost' },
    { search: 'Person 3' },
    {},
  ];

  test(`each filter alone, and ${combinations} combinations, show what the model shows, with its total`, async () => {
    for (const filter of [...each, ...Array.from({ length: combinations }, someFilter)]) {
      const expected = model.leadIds(filter, testApp.clock.now());
      const { byCursor, byNumber, totals } = await leadPages(filter, 17);
      expect(byCursor, JSON.stringify(filter)).toEqual(expected);
      expect(byNumber, JSON.stringify(filter)).toEqual(expected);
      expect(new Set(totals), JSON.stringify(filter)).toEqual(new Set([expected.length]));
    }
  });

  test('what was changed a moment ago is in the list before the change stream has run', async () => {
    const old = model.leads.get(model.leadIds({ outcome: 'open' }, testApp.clock.now()).at(-1) ?? 0);
    if (!old) throw new Error('There is no open lead.');
    const won = pipelines.find(({ id }) => id === old.pipelineId)?.stages.find(({ outcome }) => outcome === 'won')?.id ?? 0;
    await crm.call('PUT', `/leads/${old.id}/stage`, { version: old.version, stage_id: won });
    expect(leadsOf(await crm.call('GET', '/leads?outcome=won')).data[0]?.id).toBe(old.id);
    Object.assign(old, { stageId: won, version: old.version + 1, touched: model.touch() });
    const { byCursor } = await leadPages({ outcome: 'open' }, 50);
    expect(byCursor).toEqual(model.leadIds({ outcome: 'open' }, testApp.clock.now()));
    await testApp.drain();
  });

  test('an unknown pipeline is 422, a cursor of other filters 400, a page past the end is empty', async () => {
    expect((await crm.call('GET', '/leads?pipeline_id=987654')).status).toBe(422);
    const { meta } = leadsOf(await crm.call('GET', '/leads?per_page=5'));
    expect((await crm.call('GET', `/leads?per_page=5&outcome=open&cursor=${meta.next_cursor}`)).status).toBe(400);
    const past = leadsOf(await crm.call('GET', '/leads?page=1000'));
    expect([past.data, past.meta.total, past.links.next]).toEqual([[], model.leads.size, null]);
  });
});

describe('tasks', () => {
  const time = (hours: number): string => new Date(testApp.clock.now() + hours * 3_600_000).toISOString();
  const someFilter = (): TaskFilter => ({
    ...(random() < 0.1 ? { lead_id: pick([...model.leads.keys()]) } : {}),
    ...(random() < 0.4 ? { status: pick(['pending', 'completed', 'cancelled'] as const) } : {}),
    ...(random() < 0.3 ? { assignee_id: pick(people) } : {}),
    ...(random() < 0.3 ? { mine: random() < 0.5 } : {}),
    ...(random() < 0.3 ? { overdue: random() < 0.5 } : {}),
    ...(random() < 0.3 ? { due_from: time(-4) } : {}),
    ...(random() < 0.3 ? { due_to: time(2) } : {}),
  });

  test(`each filter alone, and ${combinations} combinations, show what the model shows, with its total`, async () => {
    const each: TaskFilter[] = [{ mine: true }, { mine: false }, { overdue: true }, { overdue: false }, { status: 'completed' }, {}];
    for (const filter of [...each, ...Array.from({ length: combinations }, someFilter)]) {
      const expected = model.taskIds(filter, crm.company.users.owner, testApp.clock.now());
      const found: number[] = [];
      let cursor: string | null = null;
      for (let page = 1; page < 100; page++) {
        const answer = tasksOf(await crm.call('GET', `/tasks?per_page=19${cursor ? `&cursor=${cursor}` : ''}${queryText(filter)}`));
        expect(answer.meta.total, JSON.stringify(filter)).toBe(expected.length);
        found.push(...answer.data.map(({ id }) => id));
        cursor = answer.meta.next_cursor;
        if (cursor === null) break;
      }
      expect(found, JSON.stringify(filter)).toEqual(expected);
    }
  });
});

test('a renamed contact is found by its new name', async () => {
  const [contactId = 0] = contacts;
  const { phone } = { phone: model.contacts.get(contactId)?.split('\n')[1] ?? '' };
  await crm.call('PUT', `/api/v1/contacts/${contactId}`, { phone: `+${phone}`, name: 'Zenobia' });
  await testApp.drain();
  const found = leadsOf(await crm.call('GET', '/leads?search=zenob&per_page=100'));
  expect(found.data.map(({ id }) => id)).toEqual(model.leadIds({ contact_id: contactId }, testApp.clock.now()));
  expect(leadsOf(await crm.call('GET', '/leads?search=Person%200')).data).toEqual([]);
});
