import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { createLead } from '../../functions/crm/service/leads.ts';
import { createNote } from '../../functions/crm/service/notes.ts';
import { createPipeline } from '../../functions/crm/service/pipelines.ts';
import { createTask } from '../../functions/crm/service/tasks.ts';
import { credentialEntity } from '../../shared/access/credential.ts';
import { tokenHash } from '../../shared/access/token.ts';
import { windowField } from '../../shared/access/window.ts';
import { isProblem } from '../../shared/contract/problems.ts';
import { dynamo, tableName } from '../../shared/table/client.ts';
import type { Example } from './examples.ts';
import type { ContractFixture } from './fixture.ts';
import { newPhone } from './phones.ts';

/** Good requests of the CRM's routes. */
export const crmExamples: Readonly<Record<string, (fixture: ContractFixture) => Example | Promise<Example>>> = {
  listPipelines: crm(() => ({ query: { limit: 2 } })),
  createPipeline: crm(async (fixture) => {
    await deleteExamplePipelines(fixture);
    return { body: { name: `Pipeline ${++keys}`, template: 'sales' } };
  }),
  updatePipeline: crm(async (fixture) => ({
    params: { id: (await crmFixture(fixture)).changingPipelineId },
    body: { is_active: true },
  })),
  listLeads: crm(() => ({ query: { limit: 2, needs_next_action: 'yes' } })),
  getBoard: crm(async (fixture) => ({ query: { pipeline_id: (await crmFixture(fixture)).pipelineId, limit: 2 } })),
  createLead: crm(async (fixture) => {
    const { pipelineId } = await crmFixture(fixture);
    const creation_key = newKey();
    return {
      body: { contact_id: fixture.contactId, pipeline_id: pipelineId, title: 'A new roof', creation_key, value: 1200.5, currency: 'EUR' },
    };
  }),
  getLead: crm(async (fixture) => ({ params: { id: (await crmFixture(fixture)).leadId } })),
  updateLead: crm(async (fixture) => ({ params: { id: await newLead(fixture) }, body: { version: 1, title: 'Two new roofs' } })),
  moveLead: crm(async (fixture) => ({
    params: { id: await newLead(fixture) },
    body: { version: 1, stage_id: (await crmFixture(fixture)).lostStageId, lost_reason: 'Too expensive' },
  })),
  deleteLead: crm(async (fixture) => ({ params: { id: await newLead(fixture) } })),
  restoreLead: crm(async (fixture) => ({ params: { id: await newLead(fixture) } })),
  listLeadPeople: crm(async (fixture) => ({ params: { id: (await crmFixture(fixture)).leadId } })),
  listLeadActivities: crm(async (fixture) => ({ params: { id: (await crmFixture(fixture)).leadId }, query: { limit: 2 } })),
  listLeadNotes: crm(async (fixture) => ({ params: { id: (await crmFixture(fixture)).leadId }, query: { limit: 2 } })),
  createNote: crm(async (fixture) => ({
    params: { id: (await crmFixture(fixture)).leadId },
    body: { body: 'Prefers to be called in the morning', retry_key: newKey() },
  })),
  updateNote: crm(async (fixture) => ({ params: await newNote(fixture), body: { body: 'Prefers to be called in the evening' } })),
  deleteNote: crm(async (fixture) => ({ params: await newNote(fixture) })),
  listContactNotes: ({ contactId }) => ({ params: { id: contactId }, query: { limit: 2 } }),
  listTasks: crm(() => ({ query: { limit: 2, status: 'pending', mine: 'true', due_from: '2026-01-01' } })),
  getTask: crm(async (fixture) => ({ params: { id: (await newTask(fixture)).taskId } })),
  listLeadTasks: crm(async (fixture) => ({ params: { id: (await crmFixture(fixture)).leadId }, query: { limit: 2 } })),
  createTask: crm(async (fixture) => ({
    params: { id: (await crmFixture(fixture)).leadId },
    body: { title: 'Call them back', due_at: '2027-03-01T09:00:00+01:00', timezone: 'Europe/Berlin', retry_key: newKey() },
  })),
  getLeadTask: crm(async (fixture) => ofTask(await newTask(fixture))),
  updateTask: crm(async (fixture) => ({
    ...ofTask(await newTask(fixture)),
    body: { version: 1, title: 'Write to them', due_at: '2027-03-02T09:00:00Z' },
  })),
  completeTask: crm(async (fixture) => ({
    ...ofTask(await newTask(fixture)),
    body: { version: 1, outcome_notes: 'They will think about it' },
  })),
  cancelTask: crm(async (fixture) => ({
    ...ofTask(await newTask(fixture)),
    body: { version: 1, cancellation_reason: 'They called us first' },
  })),
  getReport: crm(() => ({ query: { from: '2026-03-01', to: '2026-04-01', timezone: 'Europe/Berlin', compare: 'previous_year' } })),
  getPreferences: crm(() => ({})),
  replacePreferences: crm(async (fixture) => {
    // a number may be enrolled once a minute: as if no one had
    await deleteItems(fixture, ['staff-preference']);
    return { body: { work_number: newPhone(), opted_in: true, notify_tasks: true } };
  }),
};

let keys = 0;
function newKey(): string {
  return `00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`;
}

/** A token may make 60 requests a minute to the CRM, and these tests make more: the owner's count begins anew with each example. */
function crm(example: (fixture: ContractFixture) => Example | Promise<Example>): (fixture: ContractFixture) => Promise<Example> {
  return async (fixture) => {
    const given = await example(fixture);
    const at = fixture.testApp.clock.now();
    const remove = [windowField('crm', at), windowField('crm', at + 60_000)];
    await credentialEntity.change({ hash: tokenHash(fixture.company.tokens.owner) }, { remove });
    return given;
  };
}

interface CrmFixture {
  pipelineId: number;
  /** Another one, which no other example reads. */
  changingPipelineId: number;
  lostStageId: number;
  leadId: number;
}
const crmFixtures = new WeakMap<ContractFixture, Promise<CrmFixture>>();

const newNote = async (fixture: ContractFixture): Promise<{ id: number; note_id: number }> => {
  const { leadId } = await crmFixture(fixture);
  const note = await createNote(fixture.company.id, fixture.company.users.owner, leadId, {
    body: 'A note',
    messageId: undefined,
    retryKey: undefined,
  });
  if (isProblem(note)) throw new Error('The example note was refused.');
  return { id: leadId, note_id: note.id };
};

/** A pipeline and a lead that every example may read. */
function crmFixture(fixture: ContractFixture): Promise<CrmFixture> {
  const known = crmFixtures.get(fixture);
  if (known) return known;
  const made = (async () => {
    const [pipeline, changing] = [await examplePipeline(fixture, 'Examples'), await examplePipeline(fixture, 'Changing examples')];
    const lostStageId = pipeline.stages.find(({ outcome }) => outcome === 'lost')?.id ?? 0;
    return { pipelineId: pipeline.id, changingPipelineId: changing.id, lostStageId, leadId: await leadIn(fixture, pipeline.id) };
  })();
  crmFixtures.set(fixture, made);
  return made;
}

async function examplePipeline({ company }: ContractFixture, name: string) {
  const pipeline = await createPipeline(company.id, { name, template: 'simple' });
  if (isProblem(pipeline)) throw new Error('The example pipeline was refused.');
  return pipeline;
}

async function leadIn({ company, contactId }: ContractFixture, pipelineId: number): Promise<number> {
  const body = { contact_id: contactId, pipeline_id: pipelineId, title: 'A roof', creation_key: newKey() };
  const created = await createLead(company.id, company.users.owner, body);
  if (isProblem(created)) throw new Error('The example lead was refused.');
  return created.record.id;
}

export const newLead = async (fixture: ContractFixture): Promise<number> => leadIn(fixture, (await crmFixture(fixture)).pipelineId);

async function newTask(fixture: ContractFixture): Promise<{ leadId: number; taskId: number }> {
  const { leadId } = await crmFixture(fixture);
  const task = await createTask(fixture.company.id, fixture.company.users.owner, leadId, { title: 'Call', due_at: Date.UTC(2027, 2, 1) });
  if (isProblem(task)) throw new Error('The example task was refused.');
  return { leadId, taskId: task.id };
}

const ofTask = ({ leadId, taskId }: { leadId: number; taskId: number }) => ({ params: { id: leadId, task_id: taskId } });

/** A company has 20 pipelines at most, and these tests make more: all but those that examples use go before the next is made. */
async function deleteExamplePipelines(fixture: ContractFixture): Promise<void> {
  const { pipelineId, changingPipelineId } = await crmFixture(fixture);
  const used = new Set<unknown>([pipelineId, changingPipelineId]);
  await deleteItems(
    fixture,
    ['pipeline-register', 'pipeline', 'pipeline-name'],
    ({ kind, id, pipelineId: named }) => kind === 'pipeline-register' || !used.has(kind === 'pipeline' ? id : named),
  );
}

async function deleteItems(
  fixture: ContractFixture,
  kind: readonly string[],
  isMeant: (item: Record<string, unknown>) => boolean = () => true,
): Promise<void> {
  const items = (await fixture.testApp.dump({ companyId: fixture.company.id, kind })).filter(isMeant);
  await Promise.all(items.map(({ pk, sk }) => dynamo.send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))));
}
