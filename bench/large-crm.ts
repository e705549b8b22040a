import type { CellsRow } from '../functions/crm/contract/stored.ts';
import { type Lead, leadEntityName, toLeadItem } from '../functions/crm/contract/stored-lead.ts';
import { type Task, toTaskItem } from '../functions/crm/contract/stored-task.ts';
import { applyCellMoves, leadCellKey, taskCellKey, toLeadRow } from '../functions/crm/domain/cell.ts';
import { moveToStage, newLead, withPending } from '../functions/crm/domain/lead.ts';
import { encodeFacts, leadPageOf, packEntries, searchText, toLeadFacts } from '../functions/crm/domain/lead-page.ts';
import { newTask, toCompletedTask } from '../functions/crm/domain/task.ts';
import { createPipeline } from '../functions/crm/service/pipelines.ts';
import { createUser } from '../functions/account/service/users.ts';
import { leadEntity } from '../functions/crm/store/lead.ts';
import { cellsEntity, leadPageEntity, leadRowEntity, taskRowEntity } from '../functions/crm/store/row.ts';
import { taskEntity } from '../functions/crm/store/task.ts';
import { counterEntity } from '../shared/table/counter.ts';
import { unwrap } from '../test/support/company.ts';
import { seeded } from '../test/support/random.ts';
import { batches } from './large-contacts.ts';

/** What the loader made, for queries by it. */
export interface LoadedCrm {
  /** Users who have leads. */
  owners: number[];
  pipelineId: number;
  stages: { id: number; outcome: string }[];
}

export interface CrmSize {
  leads: number;
  tasks: number;
}

const dayMs = 86_400_000;

/**
 * Leads and tasks as the product would have written them, rows, cells and blocks included; made by its own rules. Leads are of the contacts of the
 * first 20,000 ids, over 700 days up to now.
 *
 * @param users owner, admin and member have leads, and five more who are made
 * @param now epoch milliseconds
 */
export async function loadCrm(
  companyId: number,
  users: Readonly<Record<'owner' | 'admin' | 'member', number>>,
  { leads: leadCount, tasks: taskCount }: CrmSize,
  now: number,
): Promise<LoadedCrm> {
  const random = seeded(11);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const owners = [users.owner, users.admin, users.member];
  for (let n = 0; n < 5; n++)
    owners.push(unwrap(await createUser(companyId, { name: `Member ${n}`, email: `m${n}@bench.example`, role: 'member' })).id);
  const sales = unwrap(await createPipeline(companyId, { template: 'sales' }));
  const simple = unwrap(await createPipeline(companyId, { template: 'simple' }));
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
