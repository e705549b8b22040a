import { tooFew } from '../support/oracle.ts';
import { storedCells } from '../../functions/crm/contract/stored.ts';
import { storedNote } from '../../functions/crm/contract/stored-note.ts';
import { messageStatuses, storedMessage } from '../../functions/messaging/contract/stored.ts';
import { toCountedCells } from '../../functions/crm/domain/cell.ts';
import { inboundText } from '../support/company.ts';
import { crashInjection } from '../support/crash-injection.ts';
import { type Random, seeded } from '../support/random.ts';
import { replayHalfADayLater, injectFaults } from '../support/fault-injection.ts';
import { type Crm, type CrmFixture, newKey, newPhone, preferenceOf } from './fixture.ts';
import { storedLead } from '../../functions/crm/contract/stored-lead.ts';
import { storedTask } from '../../functions/crm/contract/stored-task.ts';

/**
 * Runs made by a seed: leads, tasks and notes are made, changed by two people at once, moved and closed, tasks fall due, and on the way
 * processes die before or after any call to the table or a queue, deliveries and the stream come twice and shuffled, the table throttles and
 * loses answers, and clocks are wrong. When all is quiet the counts and timelines must equal a recount of the table, what was requested
 * twice with one key must be there once, and every task that fell due must have notified its assignee once.
 */
export interface CrmSetup {
  crm: Crm;
  phone: string;
  contactId: number;
  pipeline: { id: number; stages: { id: number; outcome: string }[] };
  /** What the runs created, by its key: whether a call for it was acknowledged. */
  created: Map<string, { kind: 'lead' | 'task' | 'note'; isAcknowledged: boolean }>;
}

/** What a run has more of than the usual, so that a missing condition is noticed soon. Shares are 0 to 1. */
export interface Emphasis {
  crashes?: number;
  duplicates?: number;
}

export const startFaultRuns = ({ testApp, provider, company }: CrmFixture) => {
  const crashes = crashInjection();

  const setup = async (): Promise<CrmSetup> => {
    const crm = await company();
    const phone = newPhone();
    const put = await crm.call('PUT', '/automation/preferences', { work_number: `+${phone}`, opted_in: true, notify_tasks: true });
    await testApp.call(inboundText(crm.company, { from: phone, text: preferenceOf(put).verification?.code ?? '' }));
    await testApp.drain();
    return { crm, phone, contactId: await crm.contact(), pipeline: await crm.pipeline('sales'), created: new Map() };
  };

  const run = async (place: CrmSetup, seed: number, { crashes: deaths = 0.4, duplicates = 0.3 }: Emphasis = {}): Promise<void> => {
    const random = seeded(seed);
    const pick = (most: number): number => Math.floor(random() * most);
    const crashStep = (most: number): number | undefined => (random() < deaths ? 1 + pick(most) : undefined);
    await using faults = await injectFaults(testApp, seed);
    using _life = crashes.over(testApp);
    for (let op = 0; op < 10; op++) {
      // who is not answered calls again with the same key, which makes nothing twice
      const keys = [newKey(), newKey()];
      for (const steps of [crashStep(15), undefined])
        await crashes.runWithCrash(steps, () =>
          Promise.allSettled(keys.map((key, nth) => act(place, seeded(seed * 200 + op * 2 + nth), key))),
        );
      const disorder = { seed: seed * 100 + op, duplicate: duplicates, crash: 0.15, replay: 0.2, reorder: true };
      if (random() < 0.5) await crashes.runWithCrash(crashStep(60), () => testApp.drain({ disorder, retry: false }));
      if (random() < 0.3) await crashes.runWithCrash(crashStep(20), () => testApp.tick());
      if (random() < 0.3) testApp.clock.advance(pick(120_000));
      await crashes.runWithCrash(crashStep(12), () => faults.between());
    }
  };

  const act = async ({ crm, contactId, pipeline, created }: CrmSetup, random: Random, key: string): Promise<void> => {
    const pick = (most: number): number => Math.floor(random() * most);
    const kind = random();
    const lead = 1 + pick(12);
    const dueAt = new Date(testApp.clock.now() + 120_000 + pick(300_000)).toISOString();
    const create = async (kind: 'lead' | 'task' | 'note', path: string, body: Record<string, unknown>): Promise<void> => {
      const isAcknowledged = created.get(key)?.isAcknowledged ?? false;
      created.set(key, { kind, isAcknowledged });
      const { status } = await crm.call('POST', path, body);
      if (status === 200) created.set(key, { kind, isAcknowledged: true });
    };
    if (kind < 0.25)
      await create('lead', '/leads', { contact_id: contactId, pipeline_id: pipeline.id, title: `Roof ${key}`, creation_key: key });
    else if (kind < 0.5) await create('task', `/leads/${lead}/tasks`, { title: `Call ${key}`, due_at: dueAt, retry_key: key });
    else if (kind < 0.65) await create('note', `/leads/${lead}/notes`, { body: `Rang back ${key}`, retry_key: key });
    else if (kind < 0.8) {
      const stage_id = pipeline.stages[pick(pipeline.stages.length)]?.id;
      await crm.call('PUT', `/leads/${lead}/stage`, { version: 1 + pick(3), stage_id, lost_reason: 'Too dear' });
    } else if (kind < 0.9) await crm.call('PUT', `/leads/${lead}/tasks/${1 + pick(20)}/complete`, { version: 1 });
    else await crm.call('PATCH', `/leads/${lead}`, { version: 1 + pick(3), title: `Shed ${key}` });
  };

  /** Until what fell due is notified and all is quiet, and once more after half a day. */
  const deliverAll = async (seed: number): Promise<void> => {
    await testApp.passTime(900);
    await testApp.drain();
    await replayHalfADayLater(testApp, seed);
  };

  /** Where counts, timelines and reminders differ from the records as they lie in the table. */
  const recount = async ({ crm, phone, created }: CrmSetup): Promise<string[]> => {
    const mine = (await testApp.dump()).filter(({ pk }) => String(pk).startsWith(`C#${crm.company.id}#`));
    const of = (kind: string) => mine.filter((item) => item['kind'] === kind);
    const wrong: string[] = [];
    const compare = (what: string, is: unknown, recounted: unknown): void => {
      if (JSON.stringify(is) !== JSON.stringify(recounted))
        wrong.push(`${what}: ${JSON.stringify(is)}, recounted ${JSON.stringify(recounted)}`);
    };
    const total = async (path: string): Promise<unknown> =>
      ((await crm.call('GET', path)).body as { meta?: { total?: number } }).meta?.total;
    const leads = of('lead').map((item) => storedLead.parse(item));
    const tasks = of('task').map((item) => storedTask.parse(item));
    const notes = of('note').map((item) => storedNote.parse(item));
    for (const [kind, length] of [
      ['lead', leads.length],
      ['task', tasks.length],
    ] as const) {
      const cells = toCountedCells(
        of('crm-cells')
          .filter((row) => row['of'] === kind)
          .map((row) => storedCells.parse(row)),
      );
      compare(
        `cells of ${kind}s`,
        cells.reduce((sum, cell) => sum + cell.count, 0),
        length,
      );
    }
    compare('leads', await total('/leads'), leads.length);
    for (const stage_id of new Set(leads.map(({ stageId }) => stageId)))
      compare(`stage ${stage_id}`, await total(`/leads?stage_id=${stage_id}`), leads.filter(({ stageId }) => stageId === stage_id).length);
    for (const state of ['pending', 'completed'])
      compare(`tasks ${state}`, await total(`/tasks?status=${state}`), tasks.filter(({ status }) => status === state).length);
    for (const { id, noteCount, pending } of leads) {
      compare(`notes of lead ${id}`, noteCount, notes.filter(({ leadId }) => leadId === id).length);
      const due = tasks.filter(({ leadId, status }) => leadId === id && status === 'pending');
      compare(
        `next actions of lead ${id}`,
        pending.map(([, task]) => task).toSorted(byNumber),
        due.map((task) => task.id).toSorted(byNumber),
      );
    }
    const stored = {
      lead: leads.map(({ creationKey }) => creationKey),
      task: tasks.map(({ title }) => title),
      note: notes.map(({ body }) => body),
    };
    for (const [key, { kind, isAcknowledged }] of created)
      if (isAcknowledged && !stored[kind].some((text) => text.endsWith(key)))
        wrong.push(`a ${kind} was acknowledged and is not stored: ${key}`);
    const newLeads = [...created.values()].filter(({ kind }) => kind === 'lead');
    wrong.push(
      ...tooFew('new leads were acknowledged', newLeads.filter(({ isAcknowledged }) => isAcknowledged).length, newLeads.length, 0.7),
    );
    for (const [what, texts] of [
      ['lead', leads.map(({ creationKey }) => creationKey)],
      ['task', tasks.map(({ title }) => title)],
      ['note', notes.map(({ body }) => body)],
    ] as const)
      for (const text of texts.filter((each, nth) => texts.indexOf(each) !== nth)) wrong.push(`an ${what} was made twice: ${text}`);
    const written = new Set(of('activity').map((item) => (item['entry'] as { k: string }).k));
    const logged = [...leads, ...tasks, ...notes].flatMap(({ log }) => log.map(({ k }) => k));
    const missing = logged.filter((k) => !written.has(k));
    if (missing.length > 0) wrong.push(`timelines lack ${missing.length} of ${logged.length} entries`);
    const waiting = tasks.filter(
      ({ status, remindAt }) => status === 'pending' && remindAt !== undefined && remindAt <= testApp.clock.now(),
    );
    if (waiting.length > 0) wrong.push(`${waiting.length} tasks were never reminded of`);
    const sentTexts = provider.requests.filter(({ body }) => body['to'] === `+${phone}`).map(({ body }) => JSON.stringify(body));
    const messages = of('message').map((item) => storedMessage.parse(item));
    for (const { title, remindedAt } of tasks) {
      const rows = messages.filter(({ inbound, value }) => !inbound && JSON.stringify(value).includes(title));
      const times = sentTexts.filter((each) => each.includes(title)).length;
      // one whose sender died with it is flagged as failed, and not sent again
      const isPublished = times === 1 || (times === 0 && rows[0]?.status === messageStatuses.failed);
      const expected = remindedAt !== undefined || rows.length > 0 ? rows.length === 1 && isPublished : times === 0;
      if (!expected) wrong.push(`${title}: ${times} reminders, ${rows.length} rows`);
    }
    return wrong;
  };

  return { setup, run, deliverAll, recount };
};

const byNumber = (a: number, b: number): number => a - b;
