import { isoTime } from '../../../shared/runtime/clock.ts';
import type { CompanyRecord, NumberRecord, ProfileRecord, UserRecord } from '../contract/record.ts';
import { toNumberState } from '../domain/number-state.ts';
import type { Company } from '../store/company.ts';
import type { NumberItem } from '../store/number.ts';
import type { User } from '../store/user.ts';
import type { VerificationProfile } from '../store/verification-profile.ts';

/** Stored items as the records that the API and the command line show. */
export const toCompanyRecord = (company: Company): CompanyRecord => ({
  id: company.companyId,
  name: company.name,
  timezone: company.timezone,
  status: company.status,
  plan: company.plan,
  settings: {
    query_tokens: company.settings.queryTokens,
    window_policy: company.settings.windowPolicy,
    strict_fields: company.settings.strictFields,
    strict_input: company.settings.strictInput,
    request_log: company.settings.requestLog,
    request_bodies: company.settings.requestBodies,
    subscribed_by_default: company.settings.subscribedByDefault,
    assign_on_reply: company.settings.assignOnReply,
    task_reminder_minutes: company.settings.taskReminderMinutes,
    task_reminder_template_id: company.settings.taskReminderTemplateId ?? null,
    default_country: company.settings.defaultCountry ?? null,
    retention_days: company.settings.retentionDays ?? null,
  },
  users_count: company.userCount,
  numbers_count: company.numberCount,
  created_at: isoTime(company.createdAt),
  updated_at: isoTime(company.updatedAt),
});

export const toUserRecord = (user: User): UserRecord => ({
  id: user.id,
  name: user.name,
  email: user.email,
  role: user.role,
  status: user.status,
  created_at: isoTime(user.createdAt),
  updated_at: isoTime(user.updatedAt),
});

export const toNumberRecord = (number: NumberItem): NumberRecord => ({
  id: number.id,
  phone: number.phone,
  phone_number_id: number.phoneNumberId,
  waba_id: number.wabaId,
  status: number.status,
  version: number.version,
  base_url: number.baseUrl ?? null,
  app_id: number.appId ?? null,
  rate: number.ratePerSecond,
  ...toNumberState(number),
  checked_at: time(number.checkedAt),
  is_default: number.isDefault === true,
  has_app_secret: number.sealedAppSecret !== undefined || number.appId !== undefined,
  created_at: isoTime(number.createdAt),
  updated_at: isoTime(number.updatedAt),
});

export const toProfileRecord = (profile: VerificationProfile): ProfileRecord => ({
  id: profile.id,
  name: profile.name,
  status: profile.status,
  is_default: profile.isDefault,
  settings_json: profile.settings,
  created_at: isoTime(profile.createdAt),
  updated_at: isoTime(profile.updatedAt),
});

export const time = (atMs: number | undefined): string | null => (atMs === undefined ? null : isoTime(atMs));
