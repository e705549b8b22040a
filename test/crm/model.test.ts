import * as fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { isoTime } from '../../shared/runtime/clock.ts';
import { type LeadFilter, Model, type TaskFilter } from './model.ts';
import { activitiesOf, type Crm, leadOf, leadsOf, newKey, newPhone, noteOf, notesOf, startFixture, taskOf, tasksOf } from './fixture.ts';
import { runSize } from '../support/run-size.ts';

/**
 * Random sequences of operations against the plain model: the same answers. 3 sequences; 500 in `npm run test:all -- fuzz`.
 */
const sequences = runSize(3, 500);

const fixture = await startFixture();
afterAll(() => fixture.stop());
const { testApp } = fixture;

interface ModelSetup {
  crm: Crm;
  model: Model;
  pipelines: { id: number; stages: { id: number; outcome: 'open' | 'won' | 'lost' }[] }[];
  contacts: number[];
  owners: number[];
}

async function setup(): Promise<ModelSetup> {
  const crm = await fixture.company();
  const pipelines = [await crm.pipeline('simple'), await crm.pipeline('appointments')];
  const named = ['Ada Straße', 'Błażej', 'नेहा'].map((name) => ({ name, phone: newPhone() }));
  const contacts = await Promise.all(named.map(({ name, phone }) => crm.contact(phone, name)));
  const outcomes = new Map(pipelines.flatMap(({ stages }) => stages.map(({ id, outcome }) => [id, outcome] as const)));
  const texts = new Map(contacts.map((id, index) => [id, `${named[index]?.name}\n${named[index]?.phone}`] as const));
  const { member, admin, owner } = crm.company.users;
  return { crm, model: new Model(crm.company, outcomes, texts), pipelines, contacts, owners: [member, admin, owner] };
}

const at = <T>(items: readonly T[], index: number): T | undefined => items[index % Math.max(1, items.length)];
const small = fc.nat(11);
const word = fc.constantFrom('Roof', 'solar', 'Küche', 'GARDEN', 'नया घर', 'fix it');
const dueInMinutes = fc.integer({ min: -3_000, max: 3_000 });

type Step =
  | { act: 'lead'; contact: number; pipeline: number; title: string; owner: number | null; value: number | null; again: boolean }
  | { act: 'edit'; lead: number; title: string; owner: number | null | undefined; value: number | null | undefined; stale: boolean }
  | { act: 'move'; lead: number; stage: number; reason: string | undefined; stale: boolean }
  | { act: 'note'; lead: number; body: string; again: boolean }
  | { act: 'task'; lead: number; title: string; due: number; assignee: number; again: boolean }
  | { act: 'editTask'; task: number; title: string | undefined; due: number | undefined; assignee: number | undefined; stale: boolean }
  | { act: 'close'; task: number; how: 'complete' | 'cancel'; stale: boolean }
  | { act: 'wait'; minutes: number }
  | { act: 'listLeads'; filter: LeadFilter; perPage: number }
  | { act: 'listTasks'; filter: TaskFilter; perPage: number };

const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });
const leadFilter = fc.record(
  {
    contact_id: small,
    pipeline_id: small,
    stage_id: small,
    owner_id: small,
    outcome: fc.constantFrom('open' as const, 'won' as const, 'lost' as const),
    unassigned: fc.boolean(),
    needs_next_action: fc.boolean(),
    overdue_follow_up: fc.boolean(),
    search: fc.constantFrom('ROOF', 'ü', 'घर', 'ada str', '4915200', 'nothing has this'),
  },
  { requiredKeys: [] },
);
const taskFilter = fc.record(
  {
    lead_id: small,
    status: fc.constantFrom('pending' as const, 'completed' as const, 'cancelled' as const),
    assignee_id: small,
    mine: fc.boolean(),
    overdue: fc.boolean(),
    due_from: dueInMinutes.map(String),
    due_to: dueInMinutes.map(String),
  },
  { requiredKeys: [] },
);
const owner = fc.option(small);
const value = fc.option(fc.integer({ min: 0, max: 1_000_000 }).map((cents) => cents / 100));
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('lead' as const),
      contact: small,
      pipeline: small,
      title: word,
      owner,
      value,
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('edit' as const),
      lead: small,
      title: word,
      owner: optional(owner),
      value: optional(value),
      stale: rarely(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('move' as const), lead: small, stage: small, reason: optional(word), stale: rarely() }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant('note' as const), lead: small, body: word, again: fc.boolean() }) },
  {
    weight: 5,
    arbitrary: fc.record({
      act: fc.constant('task' as const),
      lead: small,
      title: word,
      due: dueInMinutes,
      assignee: small,
      again: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      act: fc.constant('editTask' as const),
      task: small,
      title: optional(word),
      due: optional(dueInMinutes),
      assignee: optional(small),
      stale: rarely(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('close' as const),
      task: small,
      how: fc.constantFrom('complete' as const, 'cancel' as const),
      stale: rarely(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('wait' as const), minutes: fc.integer({ min: 1, max: 2_000 }) }) },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant('listLeads' as const), filter: leadFilter, perPage: fc.integer({ min: 1, max: 5 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant('listTasks' as const), filter: taskFilter, perPage: fc.integer({ min: 1, max: 5 }) }),
  },
);

function rarely(): fc.Arbitrary<boolean> {
  return fc.nat(4).map((n) => n === 0);
}

test(`${sequences} random sequences of operations get the answers of a plain model`, { timeout: 180_000 + sequences * 2_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
      const on = await setup();
      for (const each of steps) await perform(on, each);
      await compareAll(on);
      await testApp.drain();
      await compareAll(on);
    }),
    { numRuns: sequences, seed: Number(process.env['SEED'] ?? 20_261_121), endOnFailure: sequences <= 8 },
  );
});

async function perform(on: ModelSetup, each: Step): Promise<void> {
  const { crm, model } = on;
  const leads = [...model.leads.values()];
  const tasks = [...model.tasks.values()];
  const now = testApp.clock.now();
  switch (each.act) {
    case 'lead': {
      const pipeline = at(on.pipelines, each.pipeline);
      const body = {
        contact_id: at(on.contacts, each.contact),
        pipeline_id: pipeline?.id,
        title: each.title,
        creation_key: newKey(),
        owner_id: each.owner === null ? null : at(on.owners, each.owner),
        value: each.value,
      };
      const lead = leadOf(await crm.call('POST', '/leads', body));
      if (each.again) expect(leadOf(await crm.call('POST', '/leads', body)).id).toBe(lead.id);
      model.leads.set(lead.id, {
        id: lead.id,
        contactId: body.contact_id ?? 0,
        pipelineId: pipeline?.id ?? 0,
        stageId: pipeline?.stages[0]?.id ?? 0,
        title: body.title,
        requirement: null,
        ownerId: body.owner_id ?? null,
        value: each.value,
        lostReason: null,
        version: 1,
        touched: model.touch(),
        entries: ['lead.created'],
        notes: [],
      });
      return;
    }
    case 'edit': {
      const lead = at(leads, each.lead);
      if (!lead) return;
      const ownerId = each.owner === undefined ? undefined : each.owner === null ? null : (at(on.owners, each.owner) ?? null);
      const body = { version: lead.version + (each.stale ? 1 : 0), title: each.title, owner_id: ownerId, value: each.value };
      const answer = await crm.call('PATCH', `/leads/${lead.id}`, body);
      if (each.stale) return expectConflict(answer, lead.version);
      const next = {
        title: each.title,
        ownerId: ownerId === undefined ? lead.ownerId : ownerId,
        value: each.value === undefined ? lead.value : each.value,
      };
      const changed = (['title', 'ownerId', 'value'] as const).filter((field) => lead[field] !== next[field]);
      if (changed.length > 0) {
        Object.assign(lead, next, { version: lead.version + 1, touched: model.touch() });
        lead.entries.push(changed.length === 1 && changed[0] === 'ownerId' ? 'owner.changed' : 'lead.updated');
      }
      expect(leadOf(answer)).toMatchObject({ title: lead.title, owner_id: lead.ownerId, value: lead.value, version: lead.version });
      return;
    }
    case 'move': {
      const lead = at(leads, each.lead);
      const target = lead && at(on.pipelines.find(({ id }) => id === lead.pipelineId)?.stages ?? [], each.stage);
      if (!lead || !target) return;
      const body = {
        version: lead.version + (each.stale ? 1 : 0),
        stage_id: target.id,
        ...(each.reason ? { lost_reason: each.reason } : {}),
      };
      const answer = await crm.call('PUT', `/leads/${lead.id}/stage`, body);
      if (each.stale) return expectConflict(answer, lead.version);
      if (target.id !== lead.stageId && target.outcome === 'lost' && each.reason === undefined) return expect(answer.status).toBe(422);
      if (target.id !== lead.stageId) {
        const lostReason = target.outcome === 'lost' ? (each.reason ?? null) : null;
        Object.assign(lead, { stageId: target.id, lostReason, version: lead.version + 1, touched: model.touch() });
        lead.entries.push('stage.changed');
      }
      expect(leadOf(answer)).toMatchObject({ stage_id: lead.stageId, outcome: target.outcome, version: lead.version });
      return;
    }
    case 'note': {
      const lead = at(leads, each.lead);
      if (!lead) return;
      const body = { body: each.body, retry_key: newKey() };
      const note = noteOf(await crm.call('POST', `/leads/${lead.id}/notes`, body));
      if (each.again) expect(noteOf(await crm.call('POST', `/leads/${lead.id}/notes`, body))).toEqual(note);
      lead.notes.unshift({ id: note.id, body: each.body });
      lead.entries.push('note.added');
      return;
    }
    case 'task': {
      const lead = at(leads, each.lead);
      if (!lead) return;
      const dueAt = now + each.due * 60_000;
      const assigneeId = at(on.owners, each.assignee) ?? 0;
      const body = { title: each.title, due_at: new Date(dueAt).toISOString(), assignee_id: assigneeId, retry_key: newKey() };
      const task = taskOf(await crm.call('POST', `/leads/${lead.id}/tasks`, body));
      if (each.again) expect(taskOf(await crm.call('POST', `/leads/${lead.id}/tasks`, body)).id).toBe(task.id);
      model.tasks.set(task.id, { id: task.id, leadId: lead.id, title: each.title, dueAt, assigneeId, status: 'pending', version: 1 });
      lead.entries.push('task.created');
      return;
    }
    case 'editTask': {
      const task = at(tasks, each.task);
      if (!task) return;
      const dueAt = each.due === undefined ? undefined : now + each.due * 60_000;
      const assigneeId = each.assignee === undefined ? undefined : at(on.owners, each.assignee);
      const body = {
        version: task.version + (each.stale ? 1 : 0),
        ...(each.title === undefined ? {} : { title: each.title }),
        ...(dueAt === undefined ? {} : { due_at: new Date(dueAt).toISOString() }),
        ...(assigneeId === undefined ? {} : { assignee_id: assigneeId }),
      };
      const answer = await crm.call('PATCH', `/leads/${task.leadId}/tasks/${task.id}`, body);
      if (task.status !== 'pending') return expect(answer.body).toMatchObject({ code: 'task_not_pending' });
      if (each.stale) return expectConflict(answer, task.version);
      const next = { title: each.title ?? task.title, dueAt: dueAt ?? task.dueAt, assigneeId: assigneeId ?? task.assigneeId };
      if ((['title', 'dueAt', 'assigneeId'] as const).some((field) => task[field] !== next[field])) {
        Object.assign(task, next, { version: task.version + 1 });
        model.leads.get(task.leadId)?.entries.push('task.updated');
      }
      expect(taskOf(answer)).toMatchObject({
        title: task.title,
        due_at: isoTime(task.dueAt),
        assignee_id: task.assigneeId,
        version: task.version,
      });
      return;
    }
    case 'close': {
      const task = at(tasks, each.task);
      if (!task) return;
      const why = each.how === 'complete' ? { notes: 'Done' } : { reason: 'Not needed' };
      const body = { version: task.version + (each.stale ? 1 : 0), ...why };
      const answer = await crm.call('PUT', `/leads/${task.leadId}/tasks/${task.id}/${each.how}`, body);
      if (task.status !== 'pending') return expect(answer.body).toMatchObject({ code: 'task_not_pending' });
      if (each.stale) return expectConflict(answer, task.version);
      Object.assign(task, { status: each.how === 'complete' ? 'completed' : 'cancelled', version: task.version + 1 });
      model.leads.get(task.leadId)?.entries.push(`task.${task.status}`);
      expect(taskOf(answer)).toMatchObject({ status: task.status, version: task.version });
      return;
    }
    case 'wait': {
      // what was written must have left the records' own short logs before they are trimmed, as it has a second later in life
      await testApp.drain();
      testApp.clock.advance(each.minutes * 60_000);
      return;
    }
    case 'listLeads':
      return compareLeads(on, leadFilterOf(on, each.filter), each.perPage);
    case 'listTasks':
      return compareTasks(on, taskFilterOf(on, each.filter), each.perPage);
  }
}

function expectConflict(answer: { status: number; body: unknown }, version: number): void {
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'version_conflict', details: { current_version: version } }]);
}

/** Indexes of the generated filter as ids that exist. */
function leadFilterOf(on: ModelSetup, filter: LeadFilter): LeadFilter {
  const stages = on.pipelines.flatMap(({ stages: each }) => each);
  return {
    ...filter,
    ...(filter.contact_id === undefined ? {} : { contact_id: at(on.contacts, filter.contact_id) ?? 0 }),
    ...(filter.pipeline_id === undefined ? {} : { pipeline_id: at(on.pipelines, filter.pipeline_id)?.id ?? 0 }),
    ...(filter.stage_id === undefined ? {} : { stage_id: at(stages, filter.stage_id)?.id ?? 0 }),
    ...(filter.owner_id === undefined ? {} : { owner_id: at(on.owners, filter.owner_id) ?? 0 }),
  };
}

function taskFilterOf(on: ModelSetup, filter: TaskFilter): TaskFilter {
  const leads = [...on.model.leads.keys()];
  const time = (minutes: string): string => new Date(testApp.clock.now() + Number(minutes) * 60_000).toISOString();
  const { lead_id, ...rest } = filter;
  return {
    ...rest,
    ...(lead_id === undefined || leads.length === 0 ? {} : { lead_id: at(leads, lead_id) ?? 0 }),
    ...(filter.assignee_id === undefined ? {} : { assignee_id: at(on.owners, filter.assignee_id) ?? 0 }),
    ...(filter.due_from === undefined ? {} : { due_from: time(filter.due_from) }),
    ...(filter.due_to === undefined ? {} : { due_to: time(filter.due_to) }),
  };
}

const queryText = (filter: object, more: Record<string, unknown>): string =>
  new URLSearchParams(Object.entries({ ...filter, ...more }).map(([name, each]): [string, string] => [name, String(each)])).toString();

/** Every page, by number and by cursor. */
async function compareLeads({ crm, model }: ModelSetup, filter: LeadFilter, perPage: number): Promise<void> {
  const expected = model.leadIds(filter, testApp.clock.now());
  const byNumber: number[] = [];
  const byCursor: number[] = [];
  let cursor: string | null = null;
  for (let page = 1; page === 1 || byNumber.length < expected.length; page++) {
    const numbered = leadsOf(await crm.call('GET', `/leads?${queryText(filter, { per_page: perPage, page })}`));
    const pointed = leadsOf(await crm.call('GET', `/leads?${queryText(filter, { per_page: perPage, ...(cursor ? { cursor } : {}) })}`));
    expect(numbered.meta.total).toBe(expected.length);
    byNumber.push(...numbered.data.map(({ id }) => id));
    byCursor.push(...pointed.data.map(({ id }) => id));
    cursor = pointed.meta.next_cursor;
    if (numbered.data.length === 0) break;
  }
  expect(byNumber).toEqual(expected);
  expect(byCursor).toEqual(expected);
  expect(cursor).toBeNull();
}

async function compareTasks({ crm, model }: ModelSetup, filter: TaskFilter, perPage: number): Promise<void> {
  const expected = model.taskIds(filter, crm.company.users.owner, testApp.clock.now());
  const found: number[] = [];
  for (let page = 1; page === 1 || found.length < expected.length; page++) {
    const answer = tasksOf(await crm.call('GET', `/tasks?${queryText(filter, { per_page: perPage, page })}`));
    expect(answer.meta.total).toBe(expected.length);
    found.push(...answer.data.map(({ id }) => id));
    if (answer.data.length === 0) break;
  }
  expect(found).toEqual(expected);
}

async function compareAll(on: ModelSetup): Promise<void> {
  const { crm, model } = on;
  const now = testApp.clock.now();
  await compareLeads(on, {}, 5);
  await compareTasks(on, {}, 7);
  for (const lead of model.leads.values()) {
    const pending = model.pendingOf(lead.id);
    const next = pending[0];
    expect(leadOf(await crm.call('GET', `/leads/${lead.id}`))).toMatchObject({
      title: lead.title,
      owner_id: lead.ownerId,
      value: lead.value,
      stage_id: lead.stageId,
      lost_reason: lead.lostReason,
      version: lead.version,
      next_action: next ? { task_id: next.id, title: next.title, due_at: isoTime(next.dueAt) } : null,
      pending_tasks_count: pending.length,
      overdue_tasks_count: pending.filter(({ dueAt }) => dueAt < now).length,
    });
    const entries = activitiesOf(await crm.call('GET', `/leads/${lead.id}/activities?per_page=100`));
    expect(entries.data.map(({ type }) => type).toSorted()).toEqual(lead.entries.toSorted());
    expect(new Set(entries.data.map(({ id }) => id)).size).toBe(lead.entries.length);
    const notes = notesOf(await crm.call('GET', `/leads/${lead.id}/notes?per_page=100`));
    expect(notes.data.map(({ id, body }) => ({ id, body }))).toEqual(lead.notes);
    expect(notes.meta.total).toBe(lead.notes.length);
  }
}
