import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { okPage, ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { recordRoutes } from '../contract/routes.ts';
import { listLeads } from '../service/list-leads.ts';
import { createLead, getLead, listLeadPeople, moveLead, updateLead } from '../service/leads.ts';
import { createNote, listContactNotes, listLeadNotes } from '../service/notes.ts';
import { createPipeline, listPipelines } from '../service/pipelines.ts';
import { getReport } from '../service/reports.ts';
import { listLeadTasks, listTasks } from '../service/list-tasks.ts';
import { cancelTask, completeTask, createTask, getLeadTask, getTask, updateTask } from '../service/tasks.ts';
import { listLeadActivities } from '../service/activities.ts';

export const handler = serve(recordRoutes, {
  listPipelines: async (request) =>
    unlessRefused(await listPipelines(request.caller.companyId, request.query), (page) => okPage(request, page, 'Active pipelines.')),
  createPipeline: async ({ caller, body }) =>
    unlessRefused(await createPipeline(caller.companyId, body), (pipeline) => ok(pipeline, 'The pipeline was created.')),

  listLeads: async (request) =>
    unlessRefused(await listLeads(request.caller.companyId, request.query), (page) =>
      okPage(request, page, 'Enquiries, last changed first.'),
    ),
  createLead: async ({ caller, body }) =>
    unlessRefused(await createLead(caller.companyId, caller.userId, body), ({ record, replayed }) => ({
      ...ok(record, replayed ? 'The enquiry was created before.' : 'The enquiry was created.'),
      ...(replayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    })),
  getLead: async ({ caller, params }) => unlessRefused(await getLead(caller.companyId, params.id), (lead) => ok(lead, 'The enquiry.')),
  updateLead: async ({ caller, params, body }) =>
    unlessRefused(await updateLead(caller.companyId, caller.userId, params.id, body), (lead) => ok(lead, 'The enquiry as it is now.')),
  moveLead: async ({ caller, params, body }) =>
    unlessRefused(await moveLead(caller.companyId, caller.userId, params.id, body), (lead) => ok(lead, 'The enquiry in its stage.')),
  listLeadPeople: async ({ caller, params }) =>
    unlessRefused(await listLeadPeople(caller.companyId, caller.userId, params.id), (people) => ok(people, 'Assignable team members.')),
  listLeadActivities: async (request) =>
    unlessRefused(await listLeadActivities(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'The timeline, newest first.'),
    ),

  listLeadNotes: async (request) =>
    unlessRefused(await listLeadNotes(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Notes, newest first.'),
    ),
  createNote: async ({ caller, params, body }) =>
    unlessRefused(await createNote(caller.companyId, caller.userId, params.id, body), (note) => ok(note, 'The note was added.')),
  listContactNotes: async (request) =>
    unlessRefused(await listContactNotes(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Notes of the contact, newest first.'),
    ),

  listTasks: async (request) =>
    unlessRefused(await listTasks(request.caller.companyId, request.caller.userId, request.query), (page) =>
      okPage(request, page, 'Tasks, earliest due first.'),
    ),
  getTask: async ({ caller, params }) => unlessRefused(await getTask(caller.companyId, params.id), (task) => ok(task, 'The task.')),
  listLeadTasks: async (request) =>
    unlessRefused(await listLeadTasks(request.caller.companyId, request.caller.userId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Tasks of the enquiry, earliest due first.'),
    ),
  createTask: async ({ caller, params, body }) =>
    unlessRefused(await createTask(caller.companyId, caller.userId, params.id, body), (task) => ok(task, 'The task was added.')),
  getLeadTask: async ({ caller, params }) =>
    unlessRefused(await getLeadTask(caller.companyId, params.id, params.task_id), (task) => ok(task, 'The task.')),
  updateTask: async ({ caller, params, body }) =>
    unlessRefused(await updateTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) =>
      ok(task, 'The task as it is now.'),
    ),
  completeTask: async ({ caller, params, body }) =>
    unlessRefused(await completeTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) =>
      ok(task, 'The task is completed.'),
    ),
  cancelTask: async ({ caller, params, body }) =>
    unlessRefused(await cancelTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) =>
      ok(task, 'The task is cancelled.'),
    ),

  getReport: async (request) =>
    unlessRefused(await getReport(request.caller.companyId, request.query), ({ record, cohorts }) => {
      const { body } = okPage(request, cohorts, 'The report; links and meta page through its cohorts.');
      return { status: 200 as const, body: { ...body, data: record } };
    }),
});

/** The answer to a value; a refusal is its own answer. */
function unlessRefused<T, A>(outcome: T, answer: (value: Exclude<T, Problem>) => A): A | Extract<T, Problem> {
  return isProblem(outcome) ? (outcome as Extract<T, Problem>) : answer(outcome as Exclude<T, Problem>);
}
