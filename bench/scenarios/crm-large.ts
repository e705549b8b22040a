import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowField } from '../../shared/access/window.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import { counterEntity } from '../../shared/table/counter.ts';
import { createPipeline } from '../../functions/crm/service/pipelines.ts';
import type { CellsRow } from '../../functions/crm/contract/stored.ts';

import { leadPageOf, encodeFacts, toLeadFacts, packEntries, searchText } from '../../functions/crm/domain/lead-page.ts';
import { applyCellMoves, leadCellKey, toLeadRow, taskCellKey } from '../../functions/crm/domain/cell.ts';
import { moveToStage, newLead, withPending } from '../../functions/crm/domain/lead.ts';
import { toCompletedTask, newTask } from '../../functions/crm/domain/task.ts';
import { leadEntity } from '../../functions/crm/store/lead.ts';
import { leadPageEntity, cellsEntity, leadRowEntity, taskRowEntity } from '../../functions/crm/store/row.ts';
import { taskEntity } from '../../functions/crm/store/task.ts';
import { createUser } from '../../functions/account/service/users.ts';
import { unwrap, type TestCompany } from '../../test/support/company.ts';
import { seeded } from '../../test/support/random.ts';
import type { TestApp } from '../../test/support/test-app.ts';
import { type Figure, withFixture, type Scenario, expectOk } from '../scenario.ts';
import { type Lead, leadEntityName, toLeadItem } from '../../functions/crm/contract/stored-lead.ts';
import { type Task, toTaskItem } from '../../functions/crm/contract/stored-task.ts';

const leadCount = 50_000;
const taskCount = 100_000;
const dayMs = 86_400_000;

/** Deterministic in its units; not run with the tests, because filling the table takes a minute. */
export const scenario: Scenario = {
  name: 'crm-large',
  description: `CRM with ${leadCount.toLocaleString('en')} leads and ${taskCount.toLocaleString('en')} tasks in one company: first pages by filter, reports`,
  deterministic: false,
  measure: () =>
    withFixture(async ({ testApp, company, token }) => {
      const seed = await fill(testApp, company);
      const get = async (path: string) => {
        const at = testApp.clock.now();
        await credentialEntity.change({ hash: tokenHash(token) }, { remove: [windowField('crm', at), windowField('crm', at + 60_000)] });
        let answer: Awaited<ReturnType<typeof testApp.call>> | undefined;
        const began = performance.now();
        const used = await testApp.meter(async () => {
          answer = await expectOk(testApp.call({ method: 'GET', path: `/api/v1/crm${path}`, token }));
        });
        return { used, ms: performance.now() - began, answer };
      };
      const figures: Figure[] = [];
      for (const [name, path, atMost] of pages(seed)) {
        const { used } = await get(path);
        figures.push({ name, unit: 'RRU', value: used.rru, atMost });
      }
      const date = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
      const range = `from=${date(testApp.clock.now() - 360 * dayMs)}&to=${date(testApp.clock.now())}&timezone=Europe/Berlin`;
      for (const [name, more] of [
        ['report over 12 months', ''],
        ['report over 12 months, compared with the year before', '&compare=previous_year'],
        ['report over 12 months of one owner', `&owner_id=${seed.owners[0]}`],
      ] as const) {
        await get(`/reports?${range}${more}`);
        const { used, ms } = await get(`/reports?${range}${more}`);
        figures.push(
          { name: `${name}, reads`, unit: 'RRU', value: used.rru, atMost: 1_500 },
          { name, unit: 'ms', value: ms, atMost: 1_500 },
        );
      }
      return figures;
    }),
};

interface Seed {
  owners: number[];
  pipelineId: number;
  stages: { id: number; outcome: string }[];
}

function pages({ owners, pipelineId, stages }: Seed): [string, string, number][] {
  const stage = stages[2]?.id;
  const [owner] = owners;
  const soon = new Date(Date.now() + 7 * dayMs).toISOString();
  const leads: [string, string][] = [
    ['all', ''],
    ['contact_id', 'contact_id=17'],
    ['pipeline_id', `pipeline_id=${pipelineId}`],
    ['stage_id', `stage_id=${stage}`],
    ['owner_id', `owner_id=${owner}`],
    ['outcome=open', 'outcome=open'],
    ['outcome=won', 'outcome=won'],
    ['outcome=lost', 'outcome=lost'],
    ['unassigned', 'unassigned=1'],
    ['unassigned=0', 'unassigned=0'],
    ['needs_next_action', 'needs_next_action=1'],
    ['needs_next_action=0', 'needs_next_action=0'],
    ['overdue_follow_up', 'overdue_follow_up=1'],
    ['overdue_follow_up=0', 'overdue_follow_up=0'],
    ['stage, owner, overdue', `stage_id=${stage}&owner_id=${owner}&overdue_follow_up=1`],
    ['lost, unassigned, with a next action', 'outcome=lost&unassigned=1&needs_next_action=0'],
    ['owner, page 4', `owner_id=${owner}&page=4`],
  ];
  const tasks: [string, string][] = [
    ['all', ''],
    ['lead_id', 'lead_id=25000'],
    ['status=pending', 'status=pending'],
    ['status=cancelled', 'status=cancelled'],
    ['assignee_id', `assignee_id=${owner}`],
    ['mine', 'mine=1'],
    ['mine=0', 'mine=0'],
    ['reminded', 'reminded=1'],
    ['reminded=0', 'reminded=0'],
    ['overdue', 'overdue=1'],
    ['overdue=0', 'overdue=0'],
    ['due_from', `due_from=${soon}`],
    ['due_to', `due_to=${soon}`],
    ['mine, pending, overdue', 'mine=1&status=pending&overdue=1'],
    ['assignee, due_from, due_to', `assignee_id=${owner}&due_from=${soon}&due_to=${soon.slice(0, 4)}-12-31`],
  ];
  return [
    ...leads.map(([name, query]): [string, string, number] => [`leads, ${name}`, `/leads?${query}`, 30]),
    ['leads, search found often', '/leads?search=garden', 700],
    ['leads, search found seldom', '/leads?search=number%2049123', 700],
    ['leads, search of a phone, with owner', `/leads?search=4915170001234&owner_id=${owner}`, 700],
    ...tasks.map(([name, query]): [string, string, number] => [`tasks, ${name}`, `/tasks?${query}`, 30]),
  ];
}

/** Items as the product would have written them, rows, cells and blocks included; made by its own rules. */
async function fill(testApp: TestApp, company: TestCompany): Promise<Seed> {
  const companyId = company.id;
  const random = seeded(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const owners = [company.users.owner, company.users.admin, company.users.member];
  for (let n = 0; n < 5; n++)
    owners.push(unwrap(await createUser(companyId, { name: `Member ${n}`, email: `m${n}@bench.example`, role: 'member' })).id);
  const sales = unwrap(await createPipeline(companyId, { template: 'sales' }));
  const simple = unwrap(await createPipeline(companyId, { template: 'simple' }));
  const now = testApp.clock.now();
  const writer = batches();
  const cells = new Map<string, CellsRow>();
  const count = (of: 'lead' | 'task', group: string, cell: string, bound: number, further: (a: number, b: number) => number): void => {
    const id = { companyId, of, group };
    cells.set(`${of}|${group}`, applyCellMoves(cells.get(`${of}|${group}`), id, [{ cell, by: 1, bound }], further));
  };
  const projected = { rev: 1, checkpoints: {} };
  let facts: Record<string, string> = {};
  let texts: Record<string, string> = {};
  const flush = async (page: number): Promise<void> => {
    for (const [of, entries] of [
      ['facts', facts],
      ['texts', texts],
    ] as const)
      await writer.put(leadPageEntity.stored({ companyId, of, page, packed: packEntries(entries), ...projected }));
    [facts, texts] = [{}, {}];
  };
  let taskId = 0;
  for (let id = 1; id <= leadCount; id++) {
    const pipeline = random() < 0.7 ? sales : simple;
    const at = now - Math.floor((1 - id / leadCount) * 700 * dayMs) - 60_000;
    const ownerId = random() < 0.9 ? pick(owners) : undefined;
    const first = pipeline.stages[0];
    if (!first) throw new Error('A pipeline without stages.');
    const given = {
      title: `${pick(['New roof', 'Solar panels', 'Kitchen', 'Garden house', 'Heat pump'])} number ${id}`,
      requirement: `Wants an offer before ${pick(['spring', 'summer', 'winter'])}, prefers to be called in the ${pick(['morning', 'evening'])}`,
      contactId: 1 + (id % 20_000),
      pipelineId: pipeline.id,
      creationKey: `00000000-0000-4000-8000-${String(id).padStart(12, '0')}`,
      source: pick(['api', 'shop', 'whatsapp', 'manual'] as const),
      ownerId,
      valueCents: Math.floor(random() * 2_000_000),
    };
    let lead: Lead = newLead(companyId, id, given, first, `Person ${id % 20_000}\n49151700${String(id % 20_000).padStart(5, '0')}`, 1, at);
    const target = Math.floor(random() * pipeline.stages.length);
    for (const stage of pipeline.stages
      .slice(1, target + 1)
      .filter(({ outcome }, index, all) => outcome === 'open' || index === all.length - 1))
      lead = moveToStage(lead, undefined, stage, 'Price', 1, Math.min(now, lead.updatedAt + Math.floor(random() * 5 * dayMs))) ?? lead;
    const tasks: Task[] = [];
    for (let n = 0; n < taskCount / leadCount; n++) {
      const dueAt = at + Math.floor(random() * 60 * dayMs);
      const task = newTask(
        companyId,
        id,
        ++taskId,
        { title: `Call about number ${id}`, dueAt, timezone: 'Europe/Berlin', assigneeId: ownerId ?? pick(owners) },
        10,
        1,
        at,
      );
      const isDone = random() < 0.85;
      const next = isDone ? toCompletedTask(task, 'Reached them', 1, Math.min(now, dueAt)) : task;
      tasks.push({ ...next, remindAt: undefined, ...(dueAt < now && random() < 0.3 ? { remindedAt: dueAt } : {}) });
    }
    const pending = tasks.filter(({ status }) => status === 'pending');
    lead = withPending(
      lead,
      pending.map((task) => [task.dueAt, task.id] as const),
      () => `Call about number ${id}`,
    );
    const row = toLeadRow(lead, now);
    const place = leadCellKey(row);
    count('lead', place.group, place.cell, row.updatedAt, Math.max);
    await writer.put(leadEntity.stored(toLeadItem(lead)));
    await writer.put(leadRowEntity.stored({ ...row, ...projected }));
    await writer.put({
      pk: `C#${companyId}#LDC#${lead.contactId}`,
      sk: String(id).padStart(16, '0'),
      kind: 'lead-of-contact',
      companyId,
      contactId: lead.contactId,
      leadId: id,
    });
    for (const task of tasks) {
      const where = taskCellKey(task);
      count('task', where.group, where.cell, task.dueAt, Math.min);
      await writer.put(taskEntity.stored(toTaskItem(task)));
      await writer.put(taskRowEntity.stored({ companyId, id: task.id, task: toTaskItem({ ...task, log: [] }), ...projected }));
    }
    facts[id] = encodeFacts(toLeadFacts(lead));
    texts[id] = searchText(lead);
    if (leadPageOf(id + 1) !== leadPageOf(id)) await flush(leadPageOf(id));
  }
  await flush(leadPageOf(leadCount));
  for (const cell of cells.values()) await writer.put(cellsEntity.stored(cell));
  await writer.put(counterEntity.stored({ companyId, of: leadEntityName, lastId: leadCount, total: leadCount, rev: 1, checkpoints: {} }));
  await writer.end();
  return { owners, pipelineId: sales.id, stages: sales.stages };
}

/** Puts in batches of 25, a few at once. */
function batches() {
  let held: Record<string, unknown>[] = [];
  const under = new Set<Promise<void>>();
  const write = async (items: Record<string, unknown>[]): Promise<void> => {
    let left = items.map((Item) => ({ PutRequest: { Item } }));
    while (left.length > 0) {
      const answer = await dynamo.send(new BatchWriteCommand({ RequestItems: { [tableName()]: left } }));
      left = (answer.UnprocessedItems?.[tableName()] ?? []) as typeof left;
    }
  };
  const send = async (): Promise<void> => {
    const items = held;
    held = [];
    const sent = write(items).finally(() => under.delete(sent));
    under.add(sent);
    if (under.size >= 6) await Promise.race(under);
  };
  return {
    put: async (item: Record<string, unknown>): Promise<void> => {
      held.push(item);
      if (held.length === 25) await send();
    },
    end: async (): Promise<void> => {
      if (held.length > 0) await send();
      await Promise.all(under);
    },
  };
}
