import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { canonical } from '../../../shared/runtime/json.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { nextIds } from '../../../shared/table/counter.ts';
import { contactCards } from '../../contacts/service.ts';
import type { LeadBody, LeadChanges, LeadRecord, Assignee, StageBody } from '../contract/lead.ts';
import { leadEntityName } from '../contract/stored.ts';
import { editLead, type Lead, type LeadFields, moveToStage, newLead } from '../domain/lead.ts';
import { firstStage, type Pipeline } from '../domain/pipeline.ts';
import { toLeadRecord, findStage } from '../domain/record.ts';
import { getStoredLead, getLeadKey, getStoredLeads, createStoredLead, listLeadIdsOfContact, updateStoredLead } from '../store/lead.ts';
import { Contended, maxAttempts, pause } from './contention.ts';
import { listAssignees, canOwn, getUserNames } from './assignees.ts';
import { getPipelinesById } from './pipelines.ts';

/** POST /leads (A57): the same creation key with the same body gives the same enquiry again. */
export const createLead = async (
  companyId: number,
  userId: number,
  body: LeadBody,
): Promise<{ record: LeadRecord; replayed: boolean } | Problem<'validation_failed' | 'creation_key_reused'>> => {
  const fingerprint = sha256(canonical({ ...body, creation_key: undefined }));
  const earlier = await findCreatedLead(companyId, body.creation_key, fingerprint);
  if (earlier) return earlier;
  const [pipelines, cards, ownerIsFit] = await Promise.all([
    getPipelinesById(companyId, [body.pipeline_id]),
    contactCards(companyId, [body.contact_id]),
    body.owner_id == null ? true : canOwn(companyId, body.owner_id),
  ]);
  const stage = initialStage(pipelines.get(body.pipeline_id));
  const [contact] = cards;
  if (!contact || !stage || !ownerIsFit)
    return problem('validation_failed', {
      errors: {
        ...(contact ? {} : { contact_id: ['There is no such contact.'] }),
        ...(stage ? {} : { pipeline_id: ['There is no such active pipeline.'] }),
        ...(ownerIsFit ? {} : { owner_id: [notAssignableText] }),
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
  if ((await createStoredLead(lead, fingerprint)) === 'done') return { record: await buildLeadRecord(companyId, lead), replayed: false };
  const winner = await findCreatedLead(companyId, body.creation_key, fingerprint);
  if (winner) return winner;
  throw new Contended();
};

export const getLead = async (companyId: number, id: number): Promise<LeadRecord | Problem<'not_found'>> => {
  const lead = await getStoredLead(companyId, id, { consistent: true });
  return lead ? buildLeadRecord(companyId, lead) : problem('not_found');
};

/** PATCH /leads/{id} (A58). A stale version is 409 with the record as it stands. */
export const updateLead = async (
  companyId: number,
  userId: number,
  id: number,
  body: LeadChanges,
): Promise<LeadRecord | Problem<'not_found' | 'validation_failed' | 'version_conflict'>> => {
  const ownerIsFit = body.owner_id == null || (await canOwn(companyId, body.owner_id));
  return updateLeadVersion(companyId, id, body.version, (lead) => {
    if (body.lost_reason !== undefined && lead.outcome !== 'lost') return invalid('lost_reason', 'Only a lost enquiry has a lost reason.');
    if (!ownerIsFit && body.owner_id !== lead.ownerId) return invalid('owner_id', notAssignableText);
    return editLead(lead, { ...toLeadFields(body), title: body.title, lostReason: body.lost_reason }, userId, now());
  });
};

/** PUT /leads/{id}/stage (A59). */
export const moveLead = async (
  companyId: number,
  userId: number,
  id: number,
  body: StageBody,
): Promise<LeadRecord | Problem<'not_found' | 'validation_failed' | 'version_conflict'>> => {
  const pipelines = await getPipelinesById(companyId);
  return updateLeadVersion(companyId, id, body.version, (lead) => {
    const target = pipelines.get(lead.pipelineId)?.stages.find((stage) => stage.id === body.stage_id);
    if (!target) return invalid('stage_id', "Must be a stage of the enquiry's pipeline.");
    if (target.id !== lead.stageId && target.outcome === 'lost' && body.lost_reason === undefined)
      return invalid('lost_reason', 'A lost enquiry needs its reason.');
    return moveToStage(lead, findStage(pipelines, lead), target, body.lost_reason, userId, now());
  });
};

/** Assignable team members (A61). */
export const listLeadPeople = async (companyId: number, userId: number, leadId: number): Promise<Assignee[] | Problem<'not_found'>> => {
  const [lead, people] = await Promise.all([getStoredLead(companyId, leadId, { consistent: true }), listAssignees(companyId)]);
  if (!lead) return problem('not_found');
  return people.map(({ id, name, email, role }) => ({ id, name, email, role, is_me: id === userId }));
};

/** A renamed contact: its enquiries are found by the new name. */
export const updateContactText = async (companyId: number, contactId: number): Promise<void> => {
  const [[contact], ids] = await Promise.all([contactCards(companyId, [contactId]), listLeadIdsOfContact(companyId, contactId)]);
  if (!contact || ids.length === 0) return;
  const text = contactText(contact);
  for (const lead of await getStoredLeads(companyId, ids)) await updateLeadContactText(lead, text);
};

async function updateLeadContactText(lead: Lead, text: string): Promise<void> {
  for (let attempt = 1, seen: Lead | undefined = lead; seen && seen.contactText !== text; attempt++) {
    if (attempt > maxAttempts) throw new Contended();
    const written = await updateStoredLead({ ...seen, rev: seen.rev + 1, contactText: text });
    if (written.done) return;
    seen = written.current;
  }
}

/** One write, on the condition that nobody wrote since; what only others keep here (tasks, notes) is no conflict. */
async function updateLeadVersion(
  companyId: number,
  id: number,
  version: number,
  change: (lead: Lead) => Lead | undefined | Problem<'validation_failed'>,
): Promise<LeadRecord | Problem<'not_found' | 'validation_failed' | 'version_conflict'>> {
  let seen = await getStoredLead(companyId, id, { consistent: true });
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    if (!seen) return problem('not_found');
    if (seen.version !== version) return versionConflict(await buildLeadRecord(companyId, seen));
    const next = change(seen);
    if (next === undefined) return buildLeadRecord(companyId, seen);
    if (isProblem(next)) return next;
    const written = await updateStoredLead(next);
    if (written.done) return buildLeadRecord(companyId, next);
    seen = written.current;
    await pause(attempt);
  }
  throw new Contended();
}

/** 409 with what the caller should look at before trying again (A54). */
export const versionConflict = (current: { version: number }): Problem<'version_conflict'> =>
  problem('version_conflict', { details: { current_version: current.version, current } });

async function findCreatedLead(companyId: number, key: string, fingerprint: string) {
  const held = await getLeadKey(companyId, key);
  if (!held) return undefined;
  if (held.fingerprint !== fingerprint) return problem('creation_key_reused', { details: { lead_id: held.leadId } });
  const lead = await getStoredLead(companyId, held.leadId, { consistent: true });
  return lead && { record: await buildLeadRecord(companyId, lead), replayed: true };
}

async function buildLeadRecord(companyId: number, lead: Lead): Promise<LeadRecord> {
  const [pipelines, people, cards] = await Promise.all([
    getPipelinesById(companyId, [lead.pipelineId]),
    getUserNames(companyId, [lead.ownerId]),
    contactCards(companyId, [lead.contactId]),
  ]);
  return toLeadRecord(lead, { pipelines, people }, cards[0] ?? null, now());
}

const notAssignableText = 'Must be an active member of the team who may write.';

const initialStage = (pipeline: Pipeline | undefined) => (pipeline?.isActive ? firstStage(pipeline) : undefined);

const toLeadFields = (body: Pick<LeadBody, 'requirement' | 'owner_id' | 'value' | 'currency'>): LeadFields => ({
  requirement: body.requirement,
  ownerId: body.owner_id,
  valueCents: body.value,
  currency: body.currency,
});

const contactText = ({ name, phone }: { name: string | null; phone: string }): string => `${name ?? ''}\n${phone}`;
