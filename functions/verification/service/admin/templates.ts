import { randomUUID } from 'node:crypto';
import { type FieldErrors, invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import type { ProfileRecord } from '../../../account/contract/record.ts';
import { getProfileRecord } from '../../../account/service/verification-profiles.ts';
import { getCodeTemplate } from '../../../templates/service/code-templates.ts';
import type { TemplateChanges, TemplateInput, VerificationTemplateRecord } from '../../contract/admin.ts';
import { parseSettings } from '../../domain/settings.ts';
import { defaultPurpose } from '../../domain/code-template.ts';
import { type LinkTemplate, linkTemplateOf, linkUrlEnd } from '../../domain/link-template.ts';
import {
  type CodeTemplate,
  listCodeTemplates,
  createCodeTemplate,
  maxCodeTemplates,
  deleteCodeTemplate,
  putCodeTemplate,
} from '../../store/template.ts';

export const listVerificationTemplates = async (companyId: number, profileId: string | undefined): Promise<VerificationTemplateRecord[]> =>
  (await listCodeTemplates(companyId, profileId)).map((template) => toTemplateRecord(template));

/** Creates the template for a channel and purpose of a profile. */
export const createVerificationTemplate = async (
  companyId: number,
  input: TemplateInput,
): Promise<VerificationTemplateRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const profile = await getProfileRecord(companyId, input.profile_id);
  if (isProblem(profile)) return profile;
  const invalidTemplate = validateTemplate(input.channel, input);
  if (invalidTemplate) return invalidTemplate;
  const provider = await checkProviderTemplate(companyId, profile, input.provider_template, input.language ?? 'en');
  if (isProblem(provider)) return provider;
  const full = problem('conflict', { message: `A company can have at most ${maxCodeTemplates} code templates.` });
  if ((await listCodeTemplates(companyId)).length >= maxCodeTemplates) return full;
  const at = now();
  const template: CodeTemplate = {
    companyId,
    id: randomUUID(),
    profileId: input.profile_id,
    channel: input.channel,
    purpose: input.purpose ?? defaultPurpose,
    language: input.language ?? 'en',
    providerTemplate: input.provider_template,
    subject: input.subject,
    body: input.body,
    link: provider.link,
    createdAt: at,
    updatedAt: at,
  };
  const stored = await createCodeTemplate(template);
  if (!stored.done) return problem('conflict', { message: 'This channel and purpose already have a template.' });
  // of templates that were created at the same time none stays beyond the limit
  if ((await listCodeTemplates(companyId, undefined, { consistent: true })).length <= maxCodeTemplates)
    return toTemplateRecord(stored.item, provider.warning);
  await deleteCodeTemplate(template);
  return full;
};

export const updateVerificationTemplate = async (
  companyId: number,
  id: string,
  changes: TemplateChanges,
): Promise<VerificationTemplateRecord | Problem<'not_found' | 'validation_failed'>> => {
  const before = await getTemplateById(companyId, id);
  if (!before) return problem('not_found');
  const after: CodeTemplate = {
    ...before,
    language: changes.language ?? before.language,
    providerTemplate: changes.provider_template ?? before.providerTemplate,
    subject: changes.subject ?? before.subject,
    body: changes.body ?? before.body,
    updatedAt: now(),
  };
  const invalidTemplate = validateTemplate(after.channel, { ...changes, provider_template: after.providerTemplate, body: after.body });
  if (invalidTemplate) return invalidTemplate;
  const profile = await getProfileRecord(companyId, after.profileId);
  if (isProblem(profile)) return profile;
  const provider = await checkProviderTemplate(companyId, profile, after.providerTemplate, after.language);
  if (isProblem(provider)) return provider;
  await putCodeTemplate({ ...after, link: provider.link });
  return toTemplateRecord(after, provider.warning);
};

export const deleteVerificationTemplate = async (companyId: number, id: string): Promise<boolean> => {
  const template = await getTemplateById(companyId, id);
  if (template) await deleteCodeTemplate(template);
  return template !== undefined;
};

const getTemplateById = async (companyId: number, id: string): Promise<CodeTemplate | undefined> =>
  (await listCodeTemplates(companyId)).find((each) => each.id === id);

/** A WhatsApp code uses a template of the provider; an email uses the body given here, which must contain the code. */
function validateTemplate(
  channel: 'whatsapp' | 'email',
  { provider_template: provider, subject, body }: Pick<TemplateInput, 'provider_template' | 'subject' | 'body'>,
): Problem<'validation_failed'> | undefined {
  const errors: FieldErrors = {};
  if (channel === 'whatsapp') {
    if (provider === undefined) errors['provider_template'] = ['A WhatsApp code needs the name of an approved provider template.'];
    if (subject !== undefined) errors['subject'] = ['Only an email template has a subject.'];
    if (body !== undefined) errors['body'] = ['Only an email template has a body.'];
  } else {
    if (provider !== undefined) errors['provider_template'] = ['An email template has no provider template.'];
    if (body === undefined || !body.includes('{{code}}')) errors['body'] = ['Must contain {{code}}.'];
  }
  return Object.keys(errors).length > 0 ? problem('validation_failed', { errors }) : undefined;
}

/** Checks that the provider has such a template, for codes or for links, and warns of settings that do not fit the profile. */
async function checkProviderTemplate(
  companyId: number,
  profile: ProfileRecord,
  name: string | undefined,
  language: string,
): Promise<{ warning: string | null; link?: LinkTemplate } | Problem<'validation_failed'>> {
  if (name === undefined) return { warning: null };
  const facts = await getCodeTemplate(companyId, name, language);
  if (!facts) return invalid('provider_template', `There is no template ${name} in ${language}; sync the templates, or create it.`);
  const link = facts.category === 'UTILITY' ? linkTemplateOf(facts) : undefined;
  if (!link && facts.category !== 'AUTHENTICATION')
    return invalid('provider_template', `Must be an AUTHENTICATION template, or a UTILITY one whose URL button ends in ${linkUrlEnd}.`);
  const settings = parseSettings(profile.settings_json);
  if (link && !settings.magic_link.enabled)
    return invalid('provider_template', 'The profile sends no links: set magic_link.enabled, or name an AUTHENTICATION template.');
  const carried = link ? { link } : {};
  const { expiry_seconds: expirySeconds } = settings.otp;
  if (facts.status !== 'APPROVED')
    return {
      ...carried,
      warning: `The provider has not approved the template (${facts.status}). Codes are sent with it once it is approved.`,
    };
  if (facts.ttlSeconds <= expirySeconds) return { ...carried, warning: null };
  return {
    ...carried,
    warning: `The provider delivers it for up to ${facts.ttlSeconds} seconds, but codes expire after ${expirySeconds}. Set message_send_ttl_seconds.`,
  };
}

const toTemplateRecord = (template: CodeTemplate, warning: string | null = null): VerificationTemplateRecord => ({
  id: template.id,
  profile_id: template.profileId,
  channel: template.channel,
  purpose: template.purpose,
  language: template.language,
  provider_template: template.providerTemplate ?? null,
  subject: template.subject ?? null,
  body: template.body ?? null,
  warning,
  created_at: isoTime(template.createdAt),
  updated_at: isoTime(template.updatedAt),
});
