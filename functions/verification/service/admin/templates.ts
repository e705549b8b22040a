import { randomUUID } from 'node:crypto';
import { invalid, isProblem, problem, type Problem } from '../../../../shared/contract/problems.ts';
import { isoTime, now } from '../../../../shared/runtime/clock.ts';
import type { ProfileRecord } from '../../../account/contract.ts';
import { readVerificationProfile } from '../../../account/service/verification.ts';
import { codeTemplateFacts } from '../../../messaging/service/code-template.ts';
import type { TemplateChanges, TemplateInput, TemplateRecord } from '../../contract/admin.ts';
import { settingsOf } from '../../domain/settings.ts';
import { anyPurpose } from '../../domain/wording.ts';
import {
  type CodeTemplate,
  findCodeTemplates,
  insertCodeTemplate,
  mostTemplates,
  removeCodeTemplate,
  replaceCodeTemplate,
} from '../../store/template.ts';

export const listTemplates = async (companyId: number, profileId: string | undefined): Promise<TemplateRecord[]> =>
  (await findCodeTemplates(companyId, profileId)).map((template) => shown(template));

/** One for a channel and purpose of a profile (V2). */
export const createTemplate = async (
  companyId: number,
  input: TemplateInput,
): Promise<TemplateRecord | Problem<'not_found' | 'validation_failed' | 'conflict'>> => {
  const profile = await readVerificationProfile(companyId, input.profile_id);
  if (isProblem(profile)) return profile;
  const unfit = unfitness(input.channel, input);
  if (unfit) return unfit;
  const provider = await providerWord(companyId, profile, input.provider_template, input.language ?? 'en');
  if (isProblem(provider)) return provider;
  if ((await findCodeTemplates(companyId)).length >= mostTemplates)
    return problem('conflict', { message: `A company has ${mostTemplates} templates of codes at most.` });
  const at = now();
  const template: CodeTemplate = {
    companyId,
    id: randomUUID(),
    profileId: input.profile_id,
    channel: input.channel,
    purpose: input.purpose ?? anyPurpose,
    language: input.language ?? 'en',
    providerTemplate: input.provider_template,
    subject: input.subject,
    body: input.body,
    createdAt: at,
    updatedAt: at,
  };
  const stored = await insertCodeTemplate(template);
  return stored.done
    ? shown(stored.item, provider.warning)
    : problem('conflict', { message: 'This channel and purpose have a template already.' });
};

export const updateTemplate = async (
  companyId: number,
  id: string,
  changes: TemplateChanges,
): Promise<TemplateRecord | Problem<'not_found' | 'validation_failed'>> => {
  const before = await byId(companyId, id);
  if (!before) return problem('not_found');
  const after: CodeTemplate = {
    ...before,
    language: changes.language ?? before.language,
    providerTemplate: changes.provider_template ?? before.providerTemplate,
    subject: changes.subject ?? before.subject,
    body: changes.body ?? before.body,
    updatedAt: now(),
  };
  const unfit = unfitness(after.channel, { ...changes, provider_template: after.providerTemplate, body: after.body });
  if (unfit) return unfit;
  const profile = await readVerificationProfile(companyId, after.profileId);
  if (isProblem(profile)) return profile;
  const provider = await providerWord(companyId, profile, after.providerTemplate, after.language);
  if (isProblem(provider)) return provider;
  await replaceCodeTemplate(after);
  return shown(after, provider.warning);
};

export const deleteTemplate = async (companyId: number, id: string): Promise<boolean> => {
  const template = await byId(companyId, id);
  if (template) await removeCodeTemplate(template);
  return template !== undefined;
};

const byId = async (companyId: number, id: string): Promise<CodeTemplate | undefined> =>
  (await findCodeTemplates(companyId)).find((each) => each.id === id);

/** A WhatsApp code goes as the provider's template, an email in the words given here, which must hold the code. */
function unfitness(
  channel: 'whatsapp' | 'email',
  { provider_template: provider, subject, body }: Pick<TemplateInput, 'provider_template' | 'subject' | 'body'>,
): Problem<'validation_failed'> | undefined {
  const errors: Record<string, string[]> = {};
  if (channel === 'whatsapp') {
    if (provider === undefined) errors['provider_template'] = ['A WhatsApp code needs a template of the provider.'];
    if (subject !== undefined) errors['subject'] = ['Only an email has one.'];
    if (body !== undefined) errors['body'] = ['Only an email has one.'];
  } else {
    if (provider !== undefined) errors['provider_template'] = ['An email has none.'];
    if (body === undefined || !body.includes('{{code}}')) errors['body'] = ['Must hold {{code}}.'];
  }
  return Object.keys(errors).length > 0 ? problem('validation_failed', { errors }) : undefined;
}

/** Whether the provider has such a template for codes, and what of it does not go well with the profile. */
async function providerWord(
  companyId: number,
  profile: ProfileRecord,
  name: string | undefined,
  language: string,
): Promise<{ warning: string | null } | Problem<'validation_failed'>> {
  if (name === undefined) return { warning: null };
  const facts = await codeTemplateFacts(companyId, name, language);
  if (!facts) return invalid('provider_template', `There is no template ${name} in ${language}; sync the templates, or create it.`);
  if (facts.category !== 'AUTHENTICATION') return invalid('provider_template', 'Must be an AUTHENTICATION template.');
  const { expiry_seconds: lives } = settingsOf(profile.settings_json).otp;
  if (facts.status !== 'APPROVED') return { warning: `The provider has not approved it (${facts.status}): no code goes out in it before.` };
  if (facts.ttlSeconds <= lives) return { warning: null };
  return { warning: `The provider delivers it for ${facts.ttlSeconds} seconds, and codes live ${lives}: set message_send_ttl_seconds.` };
}

const shown = (template: CodeTemplate, warning: string | null = null): TemplateRecord => ({
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
