import { type FieldErrors, invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { Conflict, conflict, retryOnConflict } from '../../../shared/table/conflict.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactCards } from '../../contacts/service/contacts.ts';
import { getFiledIds } from '../../contacts/service/followed-contacts.ts';
import type { Assignee, LeadBody, LeadChanges, LeadRecord, StageBody } from '../contract/lead.ts';
import { type Lead, leadEntityName } from '../contract/stored-lead.ts';
import { editLead, type LeadFields, moveToStage, newLead } from '../domain/lead.ts';
import { firstStage, type Pipeline, type Stage } from '../domain/pipeline.ts';
import { findStage, toLeadRecord } from '../domain/record.ts';
import { createStoredLead, getLeadKey, getStoredLead, getStoredLeads, listLeadIdsOfContacts, updateStoredLead } from '../store/lead.ts';
import { getUserNames } from '../../account/service/user-names.ts';
import { canOwn, listAssignees, maxWriteAttempts, notAssignableText } from './assignees.ts';
import { getPipelinesById } from './pipelines.ts';

type LeadProblem = Problem<'not_found' | 'validation_failed' | 'version_conflict'>;

export interface CreatedLead {
  record: LeadRecord;
  /** The creation key was used before with the same body. */
  isReplayed: boolean;
}

/** POST /leads: the same creation key with the same body returns the same lead. */
export const createLead = async (
  companyId: number,
  userId: number,
  body: LeadBody,
): Promise<CreatedLead | Problem<'validation_failed' | 'creation_key_reused'>> => {
  const fingerprint = sha256(canonical({ ...body, creation_key: undefined }));
  const earlier = await findCreatedLead(companyId, body.creation_key, fingerprint);
  if (earlier) return earlier;
  const [pipelines, cards, isOwnerValid] = await Promise.all([
    getPipelinesById(companyId, [body.pipeline_id]),
    contactCards(companyId, [body.contact_id]),
    body.owner_id == null ? true : canOwn(companyId, body.owner_id),
  ]);
  const stage = initialStage(pipelines.get(body.pipeline_id));
  const [contact] = cards;
  if (!contact || !stage || !isOwnerValid)
    return problem('validation_failed', {
      errors: {
        ...(contact ? {} : { contact_id: ['There is no such contact.'] }),
        ...(stage ? {} : { pipeline_id: ['There is no such active pipeline.'] }),
        ...(isOwnerValid ? {} : { owner_id: [notAssignableText] }),
      },
    });
  const given = {
    ...toLeadFields(body),
    title: body.title,
    contactId: body.contact_id,
    pipelineId: body.pipeline_id,
    creationKey: body.creation_key,
    source: body.source ?? 'api',
  };
  const id = await nextIds(companyId, leadEntityName, 1);
  const lead = newLead(companyId, id, given, stage, contactText(contact), userId, now());
  if ((await createStoredLead(lead, fingerprint)) === 'done') return { record: await buildLeadRecord(companyId, lead), isReplayed: false };
  const winner = await findCreatedLead(companyId, body.creation_key, fingerprint);
  if (winner) return winner;
  throw new Conflict();
};

export const getLead = async (companyId: number, id: number): Promise<LeadRecord | Problem<'not_found'>> => {
  const lead = await getStoredLead(companyId, id, { consistent: true });
  return lead ? buildLeadRecord(companyId, lead) : problem('not_found');
};

/** PATCH /leads/{id}. An outdated version is 409 with the current record. */
export const updateLead = async (companyId: number, userId: number, id: number, body: LeadChanges): Promise<LeadRecord | LeadProblem> => {
  const isOwnerValid = body.owner_id == null || (await canOwn(companyId, body.owner_id));
  return updateLeadVersion(companyId, id, body.version, (lead) => {
    const fixed = changesOfFixed(lead, body);
    if (fixed) return fixed;
    if (body.lost_reason !== undefined && lead.outcome !== 'lost') return invalid('lost_reason', 'Only a lost lead has a lost reason.');
    if (!isOwnerValid && body.owner_id !== lead.ownerId) return invalid('owner_id', notAssignableText);
    return editLead(lead, { ...toLeadFields(body), title: body.title, lostReason: body.lost_reason }, userId, now());
  });
};

/** What PATCH does not change is accepted as it is (A58): forms send the whole record back. */
function changesOfFixed(lead: Lead, { contact_id, pipeline_id, stage_id }: LeadChanges): Problem<'validation_failed'> | undefined {
  const errors: FieldErrors = {
    ...(contact_id === undefined || contact_id === lead.contactId ? {} : { contact_id: ['The contact of a lead does not change.'] }),
    ...(pipeline_id === undefined || pipeline_id === lead.pipelineId ? {} : { pipeline_id: [moveText] }),
    ...(stage_id === undefined || stage_id === lead.stageId ? {} : { stage_id: [moveText] }),
  };
  return Object.keys(errors).length > 0 ? problem('validation_failed', { errors }) : undefined;
}

const moveText = 'Move the lead with PUT /leads/{id}/stage.';

/** PUT /leads/{id}/stage. */
export const moveLead = async (companyId: number, userId: number, id: number, body: StageBody): Promise<LeadRecord | LeadProblem> => {
  const pipelines = await getPipelinesById(companyId, body.pipeline_id === undefined ? [] : [body.pipeline_id]);
  return updateLeadVersion(companyId, id, body.version, (lead) => {
    const pipeline = pipelines.get(body.pipeline_id ?? lead.pipelineId);
    if (!pipeline || (pipeline.id !== lead.pipelineId && !pipeline.isActive))
      return invalid('pipeline_id', 'There is no such active pipeline.');
    const target = pipeline.stages.find((stage) => stage.id === body.stage_id);
    if (!target)
      return invalid(
        'stage_id',
        body.pipeline_id === undefined ? "Must be a stage of the lead's pipeline." : 'Must be a stage of the pipeline.',
      );
    if (target.isArchived && target.id !== lead.stageId) return invalid('stage_id', 'The stage is archived.');
    if (target.id !== lead.stageId && target.outcome === 'lost' && body.lost_reason === undefined)
      return invalid('lost_reason', 'A lost lead needs a lost reason.');
    return moveToStage(lead, findStage(pipelines, lead), { ...target, pipelineId: pipeline.id }, body.lost_reason, userId, now());
  });
};

/** GET /leads/{id}/people: the team members who can own the lead or its tasks. */
export const listLeadPeople = async (companyId: number, userId: number, leadId: number): Promise<Assignee[] | Problem<'not_found'>> => {
  const [lead, users] = await Promise.all([getStoredLead(companyId, leadId, { consistent: true }), listAssignees(companyId)]);
  if (!lead) return problem('not_found');
  return users.map(({ id, name, email, role }) => ({ id, name, email, role, is_me: id === userId }));
};

/** Updates the search text of a renamed contact's leads. */
export const updateContactText = async (companyId: number, contactId: number): Promise<void> => {
  const [[contact], filed] = await Promise.all([contactCards(companyId, [contactId]), getFiledIds(companyId, contactId)]);
  const ids = await listLeadIdsOfContacts(companyId, filed);
  if (!contact || ids.length === 0) return;
  const text = contactText(contact);
  for (const deleted of [false, true])
    for (const lead of await getStoredLeads(companyId, ids, { deleted })) await updateLeadContactText(lead, text);
};

function updateLeadContactText(lead: Lead, text: string): Promise<void> {
  let seen: Lead | undefined = lead;
  return retryOnConflict(maxWriteAttempts, async () => {
    if (!seen || seen.contactText === text) return undefined;
    if ((await updateStoredLead({ ...seen, rev: seen.rev + 1, contactText: text })).done) return undefined;
    seen = await getStoredLead(lead.companyId, lead.id, { consistent: true, orDeleted: true });
    return conflict;
  });
}

/** Applies a change to the version that the caller has seen. Concurrent writes of tasks and notes are no version conflict. */
async function updateLeadVersion(
  companyId: number,
  id: number,
  version: number,
  change: (lead: Lead) => Lead | undefined | Problem<'validation_failed'>,
): Promise<LeadRecord | LeadProblem> {
  let seen = await getStoredLead(companyId, id, { consistent: true });
  return retryOnConflict<LeadRecord | LeadProblem>(maxWriteAttempts, async () => {
    if (!seen) return problem('not_found');
    if (seen.version !== version) return versionConflict(await buildLeadRecord(companyId, seen));
    const next = change(seen);
    if (next === undefined) return buildLeadRecord(companyId, seen);
    if (isProblem(next)) return next;
    const written = await updateStoredLead(next);
    if (written.done) return buildLeadRecord(companyId, next);
    seen = written.current;
    return conflict;
  });
}

/** 409 with the current record, so that the caller can decide and try again. */
export const versionConflict = (current: { version: number }): Problem<'version_conflict'> =>
  problem('version_conflict', { details: { current_version: current.version, current } });

async function findCreatedLead(
  companyId: number,
  key: string,
  fingerprint: string,
): Promise<CreatedLead | Problem<'creation_key_reused'> | undefined> {
  const used = await getLeadKey(companyId, key);
  if (!used) return undefined;
  if (used.fingerprint !== fingerprint) return problem('creation_key_reused', { details: { lead_id: used.leadId } });
  const lead = await getStoredLead(companyId, used.leadId, { consistent: true });
  return lead
    ? { record: await buildLeadRecord(companyId, lead), isReplayed: true }
    : problem('creation_key_reused', { details: { lead_id: used.leadId } });
}

export async function buildLeadRecord(companyId: number, lead: Lead): Promise<LeadRecord> {
  const [pipelines, people, cards] = await Promise.all([
    getPipelinesById(companyId, [lead.pipelineId]),
    getUserNames(companyId, [lead.ownerId]),
    contactCards(companyId, [lead.contactId]),
  ]);
  return toLeadRecord(lead, { pipelines, people }, cards[0] ?? null, now());
}

const initialStage = (pipeline: Pipeline | undefined): Stage | undefined => (pipeline?.isActive ? firstStage(pipeline) : undefined);

const toLeadFields = (body: Pick<LeadBody, 'requirement' | 'owner_id' | 'value' | 'currency'>): LeadFields => ({
  requirement: body.requirement,
  ownerId: body.owner_id,
  valueCents: body.value,
  currency: body.currency,
});

const contactText = ({ name, phone }: { name: string | null; phone: string }): string => `${name ?? ''}\n${phone}`;
