import { mapOk, ok, okDeleted, okPage } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { recordRoutes } from '../contract/routes.ts';
import { getBoard } from '../service/board.ts';
import { listLeads } from '../service/list-leads.ts';
import { deleteLead, restoreLead } from '../service/deleted-leads.ts';
import { createLead, getLead, listLeadPeople, moveLead, updateLead } from '../service/leads.ts';
import { listContactNotes } from '../service/contact-notes.ts';
import { createNote, deleteNote, listLeadNotes, updateNote } from '../service/notes.ts';
import { createPipeline, listPipelines, updatePipeline } from '../service/pipelines.ts';
import { getReport } from '../service/reports.ts';
import { listLeadTasks, listTasks } from '../service/list-tasks.ts';
import { cancelTask, completeTask, createTask, getLeadTask, getTask, updateTask } from '../service/tasks.ts';
import { listLeadActivities } from '../service/activities.ts';

export const handler = serve(recordRoutes, {
  listPipelines: async (request) =>
    mapOk(await listPipelines(request.caller.companyId, request.query), (page) => okPage(request, page, 'Active pipelines.')),
  createPipeline: async ({ caller, body }) =>
    mapOk(await createPipeline(caller.companyId, body), (pipeline) => ok(pipeline, 'The pipeline was created.')),

  updatePipeline: async ({ caller, params, body }) =>
    mapOk(await updatePipeline(caller.companyId, params.id, body), (pipeline) => ok(pipeline, 'The pipeline was changed.')),

  listLeads: async (request) =>
    mapOk(await listLeads(request.caller.companyId, request.query), (page) => okPage(request, page, 'Leads, latest change first.')),
  getBoard: async ({ caller, query }) => mapOk(await getBoard(caller.companyId, query), (board) => ok(board, 'The board of the pipeline.')),
  createLead: async ({ caller, body }) =>
    mapOk(await createLead(caller.companyId, caller.userId, body), ({ record, isReplayed }) => ({
      ...ok(record, isReplayed ? 'The lead was already created.' : 'The lead was created.'),
      ...(isReplayed ? { headers: { 'idempotent-replayed': 'true' } } : {}),
    })),
  getLead: async ({ caller, params }) => mapOk(await getLead(caller.companyId, params.id), (lead) => ok(lead, 'The lead.')),
  updateLead: async ({ caller, params, body }) =>
    mapOk(await updateLead(caller.companyId, caller.userId, params.id, body), (lead) => ok(lead, 'The lead was changed.')),
  moveLead: async ({ caller, params, body }) =>
    mapOk(await moveLead(caller.companyId, caller.userId, params.id, body), (lead) => ok(lead, 'The lead was moved.')),
  deleteLead: async ({ caller, params }) =>
    mapOk(await deleteLead(caller.companyId, caller.userId, params.id), ({ id }) => okDeleted(id, 'The lead was deleted.')),
  restoreLead: async ({ caller, params }) =>
    mapOk(await restoreLead(caller.companyId, caller.userId, params.id), (lead) => ok(lead, 'The lead was restored.')),
  listLeadPeople: async ({ caller, params }) =>
    mapOk(await listLeadPeople(caller.companyId, caller.userId, params.id), (people) => ok(people, 'Assignable team members.')),
  listLeadActivities: async (request) =>
    mapOk(await listLeadActivities(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'The timeline, newest first.'),
    ),

  listLeadNotes: async (request) =>
    mapOk(await listLeadNotes(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Notes, newest first.'),
    ),
  createNote: async ({ caller, params, body }) =>
    mapOk(await createNote(caller.companyId, caller.userId, params.id, body), (note) => ok(note, 'The note was added.')),
  updateNote: async ({ caller, params, body }) =>
    mapOk(await updateNote(caller.companyId, caller.userId, params.id, params.note_id, body), (note) => ok(note, 'The note was changed.')),
  deleteNote: async ({ caller, params }) =>
    mapOk(await deleteNote(caller.companyId, caller.userId, params.id, params.note_id), ({ id }) => okDeleted(id, 'The note was deleted.')),
  listContactNotes: async (request) =>
    mapOk(await listContactNotes(request.caller.companyId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Notes of the contact, newest first.'),
    ),

  listTasks: async (request) =>
    mapOk(await listTasks(request.caller.companyId, request.caller.userId, request.query), (page) =>
      okPage(request, page, 'Tasks, earliest due time first.'),
    ),
  getTask: async ({ caller, params }) => mapOk(await getTask(caller.companyId, params.id), (task) => ok(task, 'The task.')),
  listLeadTasks: async (request) =>
    mapOk(await listLeadTasks(request.caller.companyId, request.caller.userId, request.params.id, request.query), (page) =>
      okPage(request, page, 'Tasks of the lead, earliest due time first.'),
    ),
  createTask: async ({ caller, params, body }) =>
    mapOk(await createTask(caller.companyId, caller.userId, params.id, body), (task) => ok(task, 'The task was added.')),
  getLeadTask: async ({ caller, params }) =>
    mapOk(await getLeadTask(caller.companyId, params.id, params.task_id), (task) => ok(task, 'The task.')),
  updateTask: async ({ caller, params, body }) =>
    mapOk(await updateTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) => ok(task, 'The task was changed.')),
  completeTask: async ({ caller, params, body }) =>
    mapOk(await completeTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) =>
      ok(task, 'The task was completed.'),
    ),
  cancelTask: async ({ caller, params, body }) =>
    mapOk(await cancelTask(caller.companyId, caller.userId, params.id, params.task_id, body), (task) =>
      ok(task, 'The task was cancelled.'),
    ),

  getReport: async (request) =>
    mapOk(await getReport(request.caller.companyId, request.query), ({ record, ...cohorts }) => {
      const { body } = okPage(request, cohorts, 'The report; links and meta page through its cohorts.');
      return { status: 200 as const, body: { ...body, data: record } };
    }),
});
