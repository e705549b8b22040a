import { isSupportedCountry } from 'libphonenumber-js/min';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import type { CompanyChanges, CompanyInput } from '../contract/company.ts';
import type { CompanyRecord } from '../contract/record.ts';
import { companyChanges, companyInput } from '../contract/company.ts';
import { unlimited } from '../domain/credential.ts';
import { settingsOfCredential, updateCredentialsOfCompany } from './credentials-of-company.ts';
import { toCompanyRecord } from './records.ts';
import {
  updateCompanyById,
  type Company,
  listAllCompanies,
  getCompanyById,
  createCompanyAndPointer,
  nextCompanyId,
} from '../store/company.ts';
import { parseServiceInput } from './input.ts';

export const createCompany = async (input: CompanyInput): Promise<CompanyRecord | Problem<'validation_failed'>> => {
  const fields = parseServiceInput(companyInput, input);
  if (isProblem(fields)) return fields;
  const refused = countryProblem(fields.settings?.default_country);
  if (refused) return refused;
  const at = now();
  const company: Company = {
    companyId: await nextCompanyId(),
    name: fields.name,
    timezone: fields.timezone ?? 'UTC',
    status: 'active',
    plan: fields.plan ?? { name: 'unlimited', limits: unlimited },
    settings: {
      queryTokens: fields.settings?.query_tokens ?? true,
      windowPolicy: fields.settings?.window_policy ?? 'provider',
      strictFields: fields.settings?.strict_fields ?? false,
      strictInput: fields.settings?.strict_input ?? false,
      requestLog: fields.settings?.request_log ?? 'refused',
      requestBodies: fields.settings?.request_bodies ?? false,
      subscribedByDefault: fields.settings?.subscribed_by_default ?? true,
      assignOnReply: fields.settings?.assign_on_reply ?? 'none',
      taskReminderMinutes: fields.settings?.task_reminder_minutes ?? 10,
      ...(fields.settings?.task_reminder_template_id == null ? {} : { taskReminderTemplateId: fields.settings.task_reminder_template_id }),
      ...(fields.settings?.default_country == null ? {} : { defaultCountry: fields.settings.default_country }),
      ...(fields.settings?.retention_days === null ? {} : { retentionDays: fields.settings?.retention_days ?? retentionDaysAtFirst }),
    },
    userCount: 0,
    numberCount: 0,
    createdAt: at,
    updatedAt: at,
  };
  await createCompanyAndPointer(company);
  return toCompanyRecord(company);
};

/** Two years: a company that wants its messages for longer, or for good, says so. See docs/decisions/message-retention.md. */
const retentionDaysAtFirst = 730;

export const listCompanies = async (): Promise<CompanyRecord[]> => (await listAllCompanies()).map(toCompanyRecord);

/** A company with its plan, time zone and settings, for other contexts. One GetItem, 0.5 RRU. */
export const getCompany = (companyId: number): Promise<Company | undefined> => getCompanyById(companyId);
export type { Company };

/** One company as the command line shows it. */
export const getCompanyRecord = async (companyId: number): Promise<CompanyRecord | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  return isProblem(company) ? company : toCompanyRecord(company);
};

/** The company as its own users see and change it. */
export const getCompanySettings = getCompanyRecord;

/** Settings are merged key by key; a plan is replaced as a whole. */
export const updateCompany = async (
  companyId: number,
  changes: CompanyChanges,
): Promise<CompanyRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parseServiceInput(companyChanges, changes);
  if (isProblem(fields)) return fields;
  const refused = countryProblem(fields.settings?.default_country);
  if (refused) return refused;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const settings = {
    ...company.settings,
    ...(fields.settings?.query_tokens === undefined ? {} : { queryTokens: fields.settings.query_tokens }),
    ...(fields.settings?.window_policy === undefined ? {} : { windowPolicy: fields.settings.window_policy }),
    ...(fields.settings?.strict_fields === undefined ? {} : { strictFields: fields.settings.strict_fields }),
    ...(fields.settings?.strict_input === undefined ? {} : { strictInput: fields.settings.strict_input }),
    ...(fields.settings?.request_log === undefined ? {} : { requestLog: fields.settings.request_log }),
    ...(fields.settings?.request_bodies === undefined ? {} : { requestBodies: fields.settings.request_bodies }),
    ...(fields.settings?.subscribed_by_default === undefined ? {} : { subscribedByDefault: fields.settings.subscribed_by_default }),
    ...(fields.settings?.assign_on_reply === undefined ? {} : { assignOnReply: fields.settings.assign_on_reply }),
    ...(fields.settings?.task_reminder_minutes === undefined ? {} : { taskReminderMinutes: fields.settings.task_reminder_minutes }),
    ...(fields.settings?.task_reminder_template_id === undefined
      ? {}
      : { taskReminderTemplateId: fields.settings.task_reminder_template_id ?? undefined }),
    ...(fields.settings?.default_country === undefined ? {} : { defaultCountry: fields.settings.default_country ?? undefined }),
    ...(fields.settings?.retention_days === undefined ? {} : { retentionDays: fields.settings.retention_days ?? undefined }),
  };
  const written = await updateCompanyById(companyId, {
    set: {
      settings,
      updatedAt: now(),
      ...(fields.name === undefined ? {} : { name: fields.name }),
      ...(fields.timezone === undefined ? {} : { timezone: fields.timezone }),
      ...(fields.plan === undefined ? {} : { plan: fields.plan }),
    },
  });
  if (!written.done) return missingCompany(companyId);
  // after the company: what is created from here on has the new setting. Repeating the call finishes the work of a crashed one
  if (credentialSettings.some((name) => fields.settings?.[name] !== undefined))
    await updateCredentialsOfCompany(companyId, { set: settingsOfCredential(written.item) });
  return toCompanyRecord(written.item);
};

/** Those that credentials have a copy of. */
const credentialSettings = ['query_tokens', 'strict_input', 'request_log', 'request_bodies'] as const;

/** National numbers are read only by a country that has some. */
const countryProblem = (country: string | null | undefined): Problem<'validation_failed'> | undefined =>
  country == null || isSupportedCountry(country)
    ? undefined
    : invalid('settings.default_country', 'Must be a two-letter country code, for example DE.');

/** The current company, or a problem. */
export const requireCompany = async (companyId: number): Promise<Company | Problem<'not_found'>> =>
  (await getCompanyById(companyId, { consistent: true })) ?? missingCompany(companyId);

export function missingCompany(companyId: number): Problem<'not_found'> {
  return problem('not_found', { message: `There is no company ${companyId}.` });
}
