import * as z from 'zod';
import { paginated, success } from '../../../shared/contract/envelope.ts';
import { id, jsonBoolean, paging, pathId, timestamp } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { groups } from './contact-body.ts';
import { contactFilter } from './list.ts';
import { jobFormats, jobStatuses } from './stored-job.ts';

export const maxContactsByIds = 1_000;
/** Jobs of a company that are not finished. */
export const maxOpenJobs = 10;

const jobKinds = ['change', 'export'] as const;

const tagIds = z.array(id, { error: 'Must be a list of tag ids.' }).max(100);

const change = z
  .object({
    add_groups: groups.optional().meta({ description: 'Groups to add the contacts to: ids, names, or both. Unknown names create groups.' }),
    remove_groups: groups.optional().meta({ description: 'Groups to remove the contacts from: ids, names, or both.' }),
    add_tags: tagIds.optional().meta({ description: 'Ids of tags to add.' }),
    remove_tags: tagIds.optional().meta({ description: 'Ids of tags to remove.' }),
    enabled_ai_bot: jsonBoolean.optional().meta({ description: 'Whether automated answers and an AI bot may reply to the contacts.' }),
  })
  .refine((given) => Object.values(given).some((each) => each !== undefined), {
    error: 'Must have a group or a tag to add or to remove, or enabled_ai_bot.',
  });

const selections = ['all', 'contact_ids', 'segment_id', 'filter'] as const;

const jobBody = z
  .object({
    all: z.literal(true, { error: 'Must be true.' }).optional().meta({ description: 'All contacts.' }),
    contact_ids: z
      .array(id, { error: 'Must be a list of contact ids.' })
      .min(1, { error: 'Must have at least one id.' })
      .max(maxContactsByIds, { error: `Must have at most ${maxContactsByIds} ids.` })
      .optional()
      .meta({ description: 'These contacts.' }),
    segment_id: id.optional().meta({ description: 'The contacts of a segment.' }),
    filter: contactFilter.optional().meta({ description: 'The contacts that match.' }),
    change: change.optional().meta({ description: 'What to change. Either `change` or `export` is given.' }),
    export: z.enum(jobFormats, { error: 'Must be csv or json.' }).optional().meta({ description: 'The format of the files.' }),
  })
  .refine((given) => selections.filter((each) => given[each] !== undefined).length === 1, {
    error: 'Give exactly one of all, contact_ids, segment_id and filter.',
    path: ['filter'],
  })
  .refine((given) => (given.change === undefined) !== (given.export === undefined), {
    error: 'Give either change or export.',
    path: ['change'],
  });
export type JobBody = z.output<typeof jobBody>;

/** A job in responses. */
export const contactJob = z
  .object({
    id: z.int().meta({ description: 'The id of the job.' }),
    kind: z.enum(jobKinds).meta({ description: 'What it does.' }),
    status: z.enum(jobStatuses).meta({
      description: 'queued, running: in progress. completed: every contact was looked at. cancelled: what was done before stays.',
    }),
    progress: z
      .object({
        total: z.int().meta({ description: 'Contacts to look at, as of the start.' }),
        processed: z.int().meta({ description: 'Contacts looked at so far.' }),
        matched: z.int().meta({ description: 'Of these, contacts that were selected.' }),
        changed: z.int().meta({ description: 'Contacts that were changed.' }),
        unchanged: z.int().meta({ description: 'Contacts that were already as requested.' }),
        missing: z.int().meta({ description: 'Contacts that were deleted before their turn.' }),
      })
      .meta({ description: 'Progress of the job.' }),
    files: z
      .array(
        z.object({
          url: z.string().meta({ description: 'URL of the file, valid for 15 minutes.' }),
          bytes: z.int().meta({ description: 'Its size.' }),
        }),
      )
      .meta({ description: 'Of a completed export: its files, one for each 50 MB. They are deleted after 30 days.' }),
    created_at: timestamp,
    finished_at: timestamp.nullable().meta({ description: 'When it completed or was cancelled, or null.' }),
  })
  .meta({ id: 'ContactJob', description: 'A change or an export of many contacts.' });
export type ContactJobRecord = z.output<typeof contactJob>;

const writer = { kind: 'token', scope: 'contacts:write', role: 'member' } as const;
const params = z.object({ id: pathId.meta({ description: 'The id of the job.' }) });
const base = '/api/v1/contact-jobs';

export const jobRoutes = {
  createContactJob: route({
    method: 'POST',
    path: base,
    summary: 'Change or export many contacts',
    description:
      'Starts a job that adds the selected contacts to groups and tags or removes them, switches `enabled_ai_bot`, or writes them to files. It works in the background, newest contact first; each contact is selected when its turn comes. Look at `getContactJob` for progress and files.',
    caller: writer,
    limit: 'bulk',
    unknownFields: 'refuse',
    body: jobBody.meta({ id: 'CreateContactJobRequest' }),
    answers: { 200: success(contactJob) },
    refuses: ['filter'],
    errors: ['validation_failed', 'plan_limit_reached'],
  }),
  listContactJobs: route({
    method: 'GET',
    path: base,
    summary: 'List jobs of contacts',
    description: 'Lists changes and exports, newest first.',
    caller: writer,
    query: paging(25),
    answers: { 200: paginated(contactJob) },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
  getContactJob: route({
    method: 'GET',
    path: `${base}/{id}`,
    summary: 'Get a job with its progress and files',
    description: 'Returns a job with its progress and, of an export, its files.',
    caller: writer,
    params,
    answers: { 200: success(contactJob) },
    errors: ['not_found'],
  }),
  cancelContactJob: route({
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Cancel a job',
    description: 'Stops a job after the contacts in progress. What was changed stays changed; a finished job is returned as it is.',
    caller: writer,
    params,
    answers: { 200: success(contactJob) },
    errors: ['not_found', 'conflict'],
  }),
};
