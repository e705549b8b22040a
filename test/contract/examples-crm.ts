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
export const crmExamples: Readonly<Record<string, (stage: ContractFixture) => Example | Promise<Example>>> = {
  listPipelines: crm(() => ({ query: { limit: 2 } })),
  createPipeline: crm(async (stage) => {
    await deleteExamplePipelines(stage);
    return { body: { name: `Pipeline ${++keys}`, template: 'sales' } };
  }),
  updatePipeline: crm(async (stage) => ({
    params: { id: (await crmFixture(stage)).changingPipelineId },
    body: { is_active: true },
  })),
  listLeads: crm(() => ({ query: { limit: 2, needs_next_action: 'yes' } })),
  getBoard: crm(async (stage) => ({ query: { pipeline_id: (await crmFixture(stage)).pipelineId, limit: 2 } })),
  createLead: crm(async (stage) => {
    const { pipelineId } = await crmFixture(stage);
    const creation_key = newKey();
    return {
      body: { contact_id: stage.contactId, pipeline_id: pipelineId, title: 'A new roof', creation_key, value: 1200.5, currency: 'EUR' },
    };
  }),
  getLead: crm(async (stage) => ({ params: { id: (await crmFixture(stage)).leadId } })),
  updateLead: crm(async (stage) => ({ params: { id: await newLead(stage) }, body: { version: 1, title: 'Two new roofs' } })),
  moveLead: crm(async (stage) => ({
    params: { id: await newLead(stage) },
    body: { version: 1, stage_id: (await crmFixture(stage)).lostStageId, lost_reason: 'Too expensive' },
  })),
  deleteLead: crm(async (stage) => ({ params: { id: await newLead(stage) } })),
  restoreLead: crm(async (stage) => ({ params: { id: await newLead(stage) } })),
  listLeadPeople: crm(async (stage) => ({ params: { id: (await crmFixture(stage)).leadId } })),
  listLeadActivities: crm(async (stage) => ({ params: { id: (await crmFixture(stage)).leadId }, query: { limit: 2 } })),
  listLeadNotes: crm(async (stage) => ({ params: { id: (await crmFixture(stage)).leadId }, query: { limit: 2 } })),
  createNote: crm(async (stage) => ({
    params: { id: (await crmFixture(stage)).leadId },
    body: { body: 'Prefers to be called in the morning', retry_key: newKey() },
  })),
  updateNote: crm(async (stage) => ({ params: await newNote(stage), body: { body: 'Prefers to be called in the evening' } })),
  deleteNote: crm(async (stage) => ({ params: await newNote(stage) })),
  listContactNotes: ({ contactId }) => ({ params: { id: contactId }, query: { limit: 2 } }),
  listTasks: crm(() => ({ query: { limit: 2, status: 'pending', mine: 'true', due_from: '2026-01-01' } })),
  getTask: crm(async (stage) => ({ params: { id: (await newTask(stage)).taskId } })),
  listLeadTasks: crm(async (stage) => ({ params: { id: (await crmFixture(stage)).leadId }, query: { limit: 2 } })),
  createTask: crm(async (stage) => ({
    params: { id: (await crmFixture(stage)).leadId },
    body: { title: 'Call them back', due_at: '2027-03-01T09:00:00+01:00', timezone: 'Europe/Berlin', retry_key: newKey() },
  })),
  getLeadTask: crm(async (stage) => ofTask(await newTask(stage))),
  updateTask: crm(async (stage) => ({
    ...ofTask(await newTask(stage)),
    body: { version: 1, title: 'Write to them', due_at: '2027-03-02T09:00:00Z' },
  })),
  completeTask: crm(async (stage) => ({
    ...ofTask(await newTask(stage)),
    body: { version: 1, outcome_notes: 'They will think about it' },
  })),
  cancelTask: crm(async (stage) => ({
    ...ofTask(await newTask(stage)),
    body: { version: 1, cancellation_reason: 'They called us first' },
  })),
  getReport: crm(() => ({ query: { from: '2026-03-01', to: '2026-04-01', timezone: 'Europe/Berlin', compare: 'previous_year' } })),
  getPreferences: crm(() => ({})),
  replacePreferences: crm(async (stage) => {
    // a number may be enrolled once a minute: as if no one had
    await deleteItems(stage, ['staff-preference']);
    return { body: { work_number: newPhone(), opted_in: true, notify_tasks: true } };
  }),
};

let keys = 0;
function newKey(): string {
  return `00000000-0000-4000-8000-${String(++keys).padStart(12, '0')}`;
}

/** A token may make 60 requests a minute to the CRM, and these tests make more: the owner's count begins anew with each example. */
function crm(example: (stage: ContractFixture) => Example | Promise<Example>): (stage: ContractFixture) => Promise<Example> {
  return async (stage) => {
    const given = await example(stage);
    const at = stage.testApp.clock.now();
    const remove = [windowField('crm', at), windowField('crm', at + 60_000)];
    await credentialEntity.change({ hash: tokenHash(stage.company.tokens.owner) }, { remove });
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

const newNote = async (stage: ContractFixture): Promise<{ id: number; note_id: number }> => {
  const { leadId } = await crmFixture(stage);
  const note = await createNote(stage.company.id, stage.company.users.owner, leadId, {
    body: 'A note',
    messageId: undefined,
    retryKey: undefined,
  });
  if (isProblem(note)) throw new Error('The example note was refused.');
  return { id: leadId, note_id: note.id };
};

/** A pipeline and a lead that every example may read. */
function crmFixture(stage: ContractFixture): Promise<CrmFixture> {
  const known = crmFixtures.get(stage);
  if (known) return known;
  const made = (async () => {
    const [pipeline, changing] = [await examplePipeline(stage, 'Examples'), await examplePipeline(stage, 'Changing examples')];
    const lostStageId = pipeline.stages.find(({ outcome }) => outcome === 'lost')?.id ?? 0;
    return { pipelineId: pipeline.id, changingPipelineId: changing.id, lostStageId, leadId: await leadIn(stage, pipeline.id) };
  })();
  crmFixtures.set(stage, made);
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

export const newLead = async (stage: ContractFixture): Promise<number> => leadIn(stage, (await crmFixture(stage)).pipelineId);

async function newTask(stage: ContractFixture): Promise<{ leadId: number; taskId: number }> {
  const { leadId } = await crmFixture(stage);
  const task = await createTask(stage.company.id, stage.company.users.owner, leadId, { title: 'Call', due_at: Date.UTC(2027, 2, 1) });
  if (isProblem(task)) throw new Error('The example task was refused.');
  return { leadId, taskId: task.id };
}

const ofTask = ({ leadId, taskId }: { leadId: number; taskId: number }) => ({ params: { id: leadId, task_id: taskId } });

/** A company has 20 pipelines at most, and these tests make more: all but those that examples use go before the next is made. */
async function deleteExamplePipelines(stage: ContractFixture): Promise<void> {
  const { pipelineId, changingPipelineId } = await crmFixture(stage);
  const used = new Set<unknown>([pipelineId, changingPipelineId]);
  await deleteItems(
    stage,
    ['pipeline-register', 'pipeline', 'pipeline-name'],
    ({ kind, id, pipelineId: named }) => kind === 'pipeline-register' || !used.has(kind === 'pipeline' ? id : named),
  );
}

async function deleteItems(
  stage: ContractFixture,
  kind: readonly string[],
  isMeant: (item: Record<string, unknown>) => boolean = () => true,
): Promise<void> {
  const items = (await stage.testApp.dump({ companyId: stage.company.id, kind })).filter(isMeant);
  await Promise.all(items.map(({ pk, sk }) => dynamo.send(new DeleteCommand({ TableName: tableName(), Key: { pk, sk } }))));
}
