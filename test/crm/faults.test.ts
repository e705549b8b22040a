import { afterAll, describe, expect, test } from 'vitest';
import { crmQueue } from '../../functions/crm/contract/work.ts';
import { storedLead, storedTask } from '../../functions/crm/contract/stored.ts';
import { storedNote } from '../../functions/crm/contract/stored-note.ts';
import { visitMs, visits } from '../support/fault-points.ts';
import { inboundText } from '../support/company.ts';
import { mortality } from '../support/mortality.ts';
import { type Random, seeded } from '../support/random.ts';
import { tableError } from '../support/table-watch.ts';
import { type Crm, newKey, newPhone, preferenceOf, startCrm } from './stage.ts';

/**
 * Runs made by a seed: enquiries, tasks and notes are made, changed, moved and closed, tasks fall due, and on the way processes die before or
 * after any call to the table or a queue, deliveries and the stream come twice and shuffled, and the table throttles. When all is quiet the
 * counts and timelines must equal a recount of the table, and every task that fell due must have told its assignee once.
 */
const count = Number(process.env['SEEDS'] ?? 4);
const stage = await startCrm({ manyWrites: true });
afterAll(() => stage.stop());
const { world, provider } = stage;
const life = mortality();

interface Ground {
  crm: Crm;
  phone: string;
  contactId: number;
  pipeline: { id: number; stages: { id: number; outcome: string }[] };
}

async function ground(): Promise<Ground> {
  const crm = await stage.company();
  const phone = newPhone();
  const put = await crm.call('PUT', '/automation/preferences', { work_number: `+${phone}`, opted_in: true, notify_tasks: true });
  await world.call(inboundText(crm.company, { from: phone, text: preferenceOf(put).verification?.code ?? '' }));
  await world.drain();
  return { crm, phone, contactId: await crm.contact(), pipeline: await crm.pipeline('sales') };
}

async function run({ crm, contactId, pipeline }: Ground, seed: number): Promise<void> {
  const random = seeded(seed);
  const pick = (most: number): number => Math.floor(random() * most);
  const dies = (most: number): number | undefined => (random() < 0.4 ? 1 + pick(most) : undefined);
  let throttleIn = random() < 0.3 ? 1 + pick(60) : Number.POSITIVE_INFINITY;
  using _table = world.onTable(({ when }) => {
    if (when === 'before' && --throttleIn === 0) throw tableError('ThrottlingException');
    life.step();
  });
  using _queues = world.onQueue(() => life.step());
  for (let op = 0; op < 10; op++) {
    // who is not answered asks again with the same key, which makes nothing twice
    const key = newKey();
    for (const steps of [dies(15), undefined])
      await life.mortal(steps, () => act({ crm, contactId, pipeline }, seeded(seed * 100 + op), key));
    const disorder = { seed: seed * 100 + op, duplicate: 0.3, crash: 0.15, replay: 0.2, reorder: true };
    if (random() < 0.5) await life.mortal(dies(60), () => world.drain({ disorder, retry: false }));
    if (random() < 0.3) await life.mortal(dies(20), () => world.tick());
    if (random() < 0.3) world.clock.advance(pick(120_000));
  }
}

async function act({ crm, contactId, pipeline }: Omit<Ground, 'phone'>, random: Random, key: string): Promise<void> {
  const pick = (most: number): number => Math.floor(random() * most);
  const kind = random();
  const lead = 1 + pick(12);
  const dueAt = new Date(world.clock.now() + 120_000 + pick(300_000)).toISOString();
  if (kind < 0.3)
    await crm.call('POST', '/leads', { contact_id: contactId, pipeline_id: pipeline.id, title: `Roof ${pick(9)}`, creation_key: key });
  else if (kind < 0.55) await crm.call('POST', `/leads/${lead}/tasks`, { title: 'Call', due_at: dueAt, retry_key: key });
  else if (kind < 0.65) await crm.call('POST', `/leads/${lead}/notes`, { body: 'Rang back', retry_key: key });
  else if (kind < 0.8) {
    const stage_id = pipeline.stages[pick(pipeline.stages.length)]?.id;
    await crm.call('PUT', `/leads/${lead}/stage`, { version: 1 + pick(3), stage_id, lost_reason: 'Too dear' });
  } else if (kind < 0.9) await crm.call('PUT', `/leads/${lead}/tasks/${1 + pick(20)}/complete`, { version: 1 });
  else await crm.call('PATCH', `/leads/${lead}`, { version: 1 + pick(3), title: `Shed ${pick(9)}` });
}

/** Where counts, timelines and reminders differ from the records as they lie in the table. */
async function recount({ crm, phone }: Ground): Promise<string[]> {
  const mine = (await world.dump()).filter(({ pk }) => String(pk).startsWith(`C#${crm.company.id}#`));
  const of = (kind: string) => mine.filter((item) => item['kind'] === kind);
  const wrong: string[] = [];
  const compare = (what: string, is: unknown, recounted: unknown): void => {
    if (JSON.stringify(is) !== JSON.stringify(recounted))
      wrong.push(`${what}: ${JSON.stringify(is)}, recounted ${JSON.stringify(recounted)}`);
  };
  const total = async (path: string): Promise<unknown> => ((await crm.call('GET', path)).body as { meta?: { total?: number } }).meta?.total;
  const leads = of('lead').map((item) => storedLead.parse(item));
  const tasks = of('task').map((item) => storedTask.parse(item));
  compare('enquiries', await total('/leads'), leads.length);
  for (const stage_id of new Set(leads.map(({ stageId }) => stageId)))
    compare(`stage ${stage_id}`, await total(`/leads?stage_id=${stage_id}`), leads.filter(({ stageId }) => stageId === stage_id).length);
  for (const state of ['pending', 'completed'])
    compare(`tasks ${state}`, await total(`/tasks?status=${state}`), tasks.filter(({ status }) => status === state).length);
  const written = of('activity').map((item) => (item['entry'] as { k: string }).k);
  const notes = of('note').map((item) => storedNote.parse(item));
  const logged = [...leads, ...tasks, ...notes].flatMap(({ log }) => log.map(({ k }) => k));
  const missing = logged.filter((k) => !written.includes(k));
  if (missing.length > 0) wrong.push(`timelines lack ${missing.length} of ${logged.length} entries`);
  const told = provider.requests.filter(({ body }) => body['to'] === `+${phone}`).length;
  const reminded = tasks.filter(({ remindedAt }) => remindedAt !== undefined).length;
  const waiting = tasks.filter(({ status, remindAt }) => status === 'pending' && remindAt !== undefined && remindAt <= world.clock.now());
  if (waiting.length > 0) wrong.push(`${waiting.length} tasks were never reminded of`);
  if (told < reminded || told > tasks.length)
    wrong.push(`${told} reminders for ${tasks.length} tasks, ${reminded} of them settled as told`);
  return wrong;
}

/** Until what fell due is told and all is quiet. */
const settle = async (): Promise<void> => {
  await world.pass(900);
  await world.drain();
};
const seeds = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);

describe('whatever dies, repeats or comes late', () => {
  test(
    `in ${count} runs counts and timelines equal a recount, and who is to be reminded is, once`,
    async () => {
      const place = await ground();
      for (const seed of seeds(1, count)) await run(place, seed);
      await settle();
      expect(await recount(place)).toEqual([]);
      for (const round of visits()) {
        const fresh = await ground();
        for (const seed of seeds(50_000 + round * 8, 8)) await run(fresh, seed);
        await settle();
        expect(await recount(fresh)).toEqual([]);
      }
      expect(world.dead(crmQueue)).toEqual([]);
    },
    60_000 + count * 4_000 + visitMs,
  );
});
