import { randomBytes } from 'node:crypto';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { optionalSetting } from '../../../shared/runtime/env.ts';
import { refusalOf } from '../../../shared/runtime/fetch.ts';
import { sameSecret, seal, sealIfNew, unseal } from '../../../shared/runtime/seal.ts';
import { all, below, equals, exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { NumberChanges, NumberInput, NumberSecrets } from '../contract/number.ts';
import type { NumberRecord } from '../contract/record.ts';
import { numberChanges, numberInput, numberSecrets } from '../contract/number.ts';
import type { NumberState } from '../contract/number-state.ts';
import { defaultRatePerSecond, defaultVersion, maxNumbers } from '../domain/credential.ts';
import { toNumberRecord } from './records.ts';
import { updateCompanyPart } from '../store/company.ts';
import {
  updateNumberPart,
  getNumberItem,
  listAllNumbers,
  createNumberParts,
  type NumberItem,
  nextNumberId,
  setProviderChange,
} from '../store/number.ts';
import { planLimitProblem } from './plan.ts';
import { requireCompany } from './companies.ts';
import { parseServiceInput } from './input.ts';
import { findNamedApp } from './named-app.ts';

/** A business number as other contexts use it. Its secrets are unsealed by the calls that return them. */
export interface BusinessNumber {
  companyId: number;
  id: number;
  /** Digits with country code. */
  phone: string;
  phoneNumberId: string;
  wabaId: string;
  /** The provider's API version, `v19.0` (G27). */
  version: string;
  /** Base URL of the provider for this number; undefined: the deployment's. */
  baseUrl: string | undefined;
  /** The app of the provider that it names: its company's, or one that the deployment shares; undefined: one that is no record here. */
  appId: string | undefined;
  ratePerSecond: number;
  status: 'active' | 'inactive';
  /** Its company is suspended: nothing is sent from it. */
  isSuspended: boolean;
  quality: string;
  accountState: string | undefined;
  restrictions: NumberState['restrictions'];
  /** As of the daily check, epoch milliseconds; undefined before the first one. */
  health: NumberState['health'];
  checkedAt: number | undefined;
  /** In which the provider charges the business account; undefined before the first daily check. */
  currency: string | undefined;
  createdAt: number;
  accessToken: () => Promise<string>;
  /** Undefined: not set, webhooks are accepted by their token alone (A50). */
  appSecret: () => Promise<string | undefined>;
  /** Compares the `hub.verify_token` of a handshake in constant time (A49). Only its hash is stored. */
  matchesVerifyToken: (presented: string) => boolean;
}

/** The numbers that a company may send from, its default number first, then the oldest. One Query, 0.5 RRU. */
export const listActiveNumbers = async (companyId: number): Promise<BusinessNumber[]> => {
  const active = (await listAllNumbers(companyId)).filter(({ status }) => status === 'active');
  return active.toSorted((a, b) => Number(b.isDefault === true) - Number(a.isDefault === true)).map(toBusinessNumber);
};

/** The number from which a company sends where nothing names one: its default number, else its oldest active one. One Query, 0.5 RRU. */
export const getActiveNumber = async (companyId: number): Promise<BusinessNumber | undefined> => (await listActiveNumbers(companyId))[0];

/** The number of a message, or the company's current sending number if that one is inactive. One Query, 0.5 RRU. */
export const getSendingNumber = async (companyId: number, numberId: number | undefined): Promise<BusinessNumber | undefined> => {
  const active = await listActiveNumbers(companyId);
  return active.find(({ id }) => id === numberId) ?? active[0];
};

/** A number of each business account (WABA) of a company, through which its templates are reached; the default number's first. 0.5 RRU. */
export const listAccountNumbers = async (companyId: number): Promise<BusinessNumber[]> => {
  const byAccount = new Map<string, BusinessNumber>();
  for (const number of await listActiveNumbers(companyId)) if (!byAccount.has(number.wabaId)) byAccount.set(number.wabaId, number);
  return [...byAccount.values()];
};

/** The number through which a template's account is reached; the default number where the account is not known. 0.5 RRU. */
export const getAccountNumber = async (companyId: number, wabaId: string | undefined): Promise<BusinessNumber | undefined> => {
  const numbers = await listAccountNumbers(companyId);
  return numbers.find((number) => number.wabaId === wabaId) ?? numbers[0];
};

/** The number that a provider webhook names, active or not. One Query, 0.5 RRU. */
export const getNumberByProviderId = async (companyId: number, phoneNumberId: string): Promise<BusinessNumber | undefined> => {
  const number = (await listAllNumbers(companyId)).find((each) => each.phoneNumberId === phoneNumberId);
  return number && toBusinessNumber(number);
};

/** Every number of a company, active or not, oldest first. One Query, 0.5 RRU. */
export const listBusinessNumbers = async (companyId: number, options: { consistent?: boolean } = {}): Promise<BusinessNumber[]> =>
  (await listAllNumbers(companyId, options)).map(toBusinessNumber);

export const listNumbers = async (companyId: number): Promise<NumberRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  return isProblem(company) ? company : (await listAllNumbers(companyId)).map(toNumberRecord);
};

export const getNumber = async (companyId: number, id: number): Promise<NumberRecord | Problem<'not_found'>> => {
  const number = await requireNumber(companyId, id);
  return isProblem(number) ? number : toNumberRecord(number);
};

/** Adds a number. Only this result has the `verify_token`. `reservedId`: belongs to this operation, however often it is tried. */
export const addNumber = async (
  companyId: number,
  input: NumberInput,
  { id: reservedId }: { id?: number } = {},
): Promise<{ number: NumberRecord; verify_token: string } | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached'>> => {
  const fields = parseServiceInput(numberInput, input);
  if (isProblem(fields)) return fields;
  const refused = baseUrlProblem(fields.base_url);
  if (refused) return refused;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const existing = await listAllNumbers(companyId);
  if (existing.length >= maxNumbers && !existing.some(({ id }) => id === reservedId))
    return problem('plan_limit_reached', {
      message: `A company may have ${maxNumbers} numbers, inactive ones included.`,
      details: { resource: 'numbers', limit: maxNumbers, used: existing.length },
    });
  const app = fields.app_id === undefined ? undefined : await findNamedApp(companyId, fields.app_id);
  if (fields.app_id !== undefined && !app) return unknownApp;
  const at = now();
  const id = reservedId ?? (await nextNumberId(companyId));
  const verifyToken = fields.verify_token ?? randomBytes(24).toString('base64url');
  const number: NumberItem = {
    companyId,
    id,
    phone: fields.phone,
    phoneNumberId: fields.phone_number_id,
    wabaId: fields.waba_id,
    sealedAccessToken: await seal(fields.access_token, sealContextOf(companyId, id, 'access-token')),
    ...(fields.app_secret === undefined
      ? {}
      : { sealedAppSecret: await seal(fields.app_secret, sealContextOf(companyId, id, 'app-secret')) }),
    verifyTokenHash: sha256(verifyToken),
    version: fields.version ?? optionalSetting('PROVIDER_VERSION') ?? defaultVersion,
    ...(fields.base_url === undefined ? {} : { baseUrl: fields.base_url }),
    ...(fields.app_id === undefined ? {} : { appId: fields.app_id }),
    ratePerSecond: fields.rate ?? defaultRatePerSecond,
    status: 'active',
    ...(company.status === 'suspended' ? { companyStatus: company.status } : {}),
    quality: 'UNKNOWN',
    createdAt: at,
    updatedAt: at,
  };
  const limit = company.plan.limits.numbers;
  const committed = await commit({
    number: createNumberParts(number),
    app: app?.parts,
    company: updateCompanyPart(
      companyId,
      { add: { numberCount: 1 } },
      limit === null ? exists() : all(exists(), below('numberCount', limit)),
    ),
  });
  if (committed.done) return { number: toNumberRecord(number), verify_token: verifyToken };
  if (committed.refused.app) return unknownApp;
  return committed.refused.number
    ? invalid('phone_number_id', 'This number is already connected to this company.')
    : planLimitProblem('numbers', limit, company.numberCount);
};

const unknownApp = invalid('app_id', 'Must be an app of the company (POST /apps), or one that the deployment shares.');

/** The access token goes there: https to the internet, on the laptop also loopback. */
const baseUrlProblem = (url: string | null | undefined): Problem<'validation_failed'> | undefined =>
  url == null || refusalOf(url) === undefined ? undefined : invalid('base_url', 'Must be an https URL on the public internet.');

/** Updates everything but secrets. Activation counts against the plan; deactivation releases it. */
export const updateNumber = async (
  companyId: number,
  id: number,
  changes: NumberChanges,
): Promise<NumberRecord | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | 'conflict'>> => {
  const fields = parseServiceInput(numberChanges, changes);
  if (isProblem(fields)) return fields;
  const refused = baseUrlProblem(fields.base_url);
  if (refused) return refused;
  const [company, number] = await Promise.all([requireCompany(companyId), requireNumber(companyId, id)]);
  if (isProblem(company)) return company;
  if (isProblem(number)) return number;
  const isNaming = fields.app_id != null && fields.app_id !== number.appId;
  const app = isNaming ? await findNamedApp(companyId, fields.app_id ?? '') : undefined;
  if (isNaming && !app) return unknownApp;
  const activeChange = fields.status === undefined || fields.status === number.status ? 0 : fields.status === 'active' ? 1 : -1;
  const limit = company.plan.limits.numbers;
  const set = {
    updatedAt: now(),
    ...(fields.phone === undefined ? {} : { phone: fields.phone }),
    ...(fields.waba_id === undefined ? {} : { wabaId: fields.waba_id }),
    ...(fields.version === undefined ? {} : { version: fields.version }),
    ...(fields.rate === undefined ? {} : { ratePerSecond: fields.rate }),
    ...(fields.quality === undefined ? {} : { quality: fields.quality }),
    ...(fields.status === undefined ? {} : { status: fields.status }),
    ...(fields.base_url === undefined ? {} : { baseUrl: fields.base_url ?? undefined }),
    ...(fields.app_id === undefined ? {} : { appId: fields.app_id ?? undefined }),
    ...(fields.is_default === undefined ? {} : { isDefault: true }),
  };
  const formerDefaults =
    fields.is_default === undefined ? [] : (await listAllNumbers(companyId)).filter((each) => each.isDefault && each.id !== id);
  const isWithinLimit = limit === null || activeChange < 0 ? exists() : all(exists(), below('numberCount', limit));
  const committed = await commit({
    number: updateNumberPart(number, { set }, equals('status', number.status)),
    formerDefaults: formerDefaults.map((each) => updateNumberPart(each, { remove: ['isDefault'] }, exists())),
    app: app?.parts,
    company: activeChange === 0 ? undefined : updateCompanyPart(companyId, { add: { numberCount: activeChange } }, isWithinLimit),
  });
  if (!committed.done && committed.refused.app) return unknownApp;
  if (!committed.done) return committed.refused.number ? problem('conflict') : planLimitProblem('numbers', limit, company.numberCount);
  return getNumber(companyId, id);
};

export const deactivateNumber = (companyId: number, id: number): ReturnType<typeof updateNumber> =>
  updateNumber(companyId, id, { status: 'inactive' });

/** Replaces the given secrets; subsequent calls and webhooks use the new ones. */
export const rotateNumberSecrets = async (
  companyId: number,
  id: number,
  secrets: NumberSecrets,
): Promise<NumberRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parseServiceInput(numberSecrets, secrets);
  if (isProblem(fields)) return fields;
  const number = await requireNumber(companyId, id);
  if (isProblem(number)) return number;
  const set = {
    updatedAt: now(),
    ...(fields.access_token === undefined
      ? {}
      : {
          sealedAccessToken: await sealIfNew(fields.access_token, number.sealedAccessToken, sealContextOf(companyId, id, 'access-token')),
        }),
    ...(fields.app_secret === undefined
      ? {}
      : {
          sealedAppSecret:
            fields.app_secret === null
              ? undefined
              : await sealIfNew(fields.app_secret, number.sealedAppSecret, sealContextOf(companyId, id, 'app-secret')),
        }),
    ...(fields.verify_token === undefined ? {} : { verifyTokenHash: sha256(fields.verify_token) }),
  };
  await commit({ number: updateNumberPart(number, { set }, exists()) });
  return getNumber(companyId, id);
};

function toBusinessNumber(number: NumberItem): BusinessNumber {
  const { companyId, id, sealedAccessToken, sealedAppSecret, verifyTokenHash } = number;
  return {
    companyId,
    id,
    phone: number.phone,
    phoneNumberId: number.phoneNumberId,
    wabaId: number.wabaId,
    version: number.version,
    baseUrl: number.baseUrl,
    appId: number.appId,
    ratePerSecond: number.ratePerSecond,
    status: number.status,
    isSuspended: number.companyStatus === 'suspended',
    quality: number.quality,
    accountState: number.accountState,
    restrictions: number.restrictions,
    health: number.health,
    checkedAt: number.checkedAt,
    currency: number.currency,
    createdAt: number.createdAt,
    accessToken: () => unseal(sealedAccessToken, sealContextOf(companyId, id, 'access-token')),
    appSecret: async () =>
      sealedAppSecret === undefined ? undefined : unseal(sealedAppSecret, sealContextOf(companyId, id, 'app-secret')),
    matchesVerifyToken: (presented) => sameSecret(sha256(presented), verifyTokenHash),
  };
}

async function requireNumber(companyId: number, id: number): Promise<NumberItem | Problem<'not_found'>> {
  return (await getNumberItem(companyId, id)) ?? problem('not_found', { message: `There is no number ${id} in company ${companyId}.` });
}

/** Binds a sealed value to its field of its number, so that values cannot be swapped in the table. */
function sealContextOf(companyId: number, id: number, field: 'access-token' | 'app-secret'): string {
  return `number:${companyId}:${id}:${field}`;
}

export { nextNumberId };

/**
 * Notes for the audit log what a request changed of a number at the provider, which alone has it: `profile changed`. `at`: when the request began, epoch
 * milliseconds, so that its repetition notes nothing. 1 WRU.
 */
export const recordProviderChange = (
  { companyId, id }: Pick<BusinessNumber, 'companyId' | 'id'>,
  what: string,
  at: number,
): Promise<void> => setProviderChange({ companyId, id }, { what, at });
