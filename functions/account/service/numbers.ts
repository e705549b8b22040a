import { randomBytes } from 'node:crypto';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { sameSecret, seal, unseal } from '../../../shared/runtime/seal.ts';
import { all, below, equals, exists } from '../../../shared/table/condition.ts';
import { commit } from '../../../shared/table/transaction.ts';
import type { NumberChanges, NumberInput, NumberRecord, NumberSecrets } from '../contract.ts';
import { numberChanges, numberInput, numberSecrets } from '../contract/number.ts';
import { defaultRatePerSecond, defaultVersion, showNumber } from '../domain.ts';
import { changingCompany } from '../store/company.ts';
import { changingNumber, findNumber, findNumbers, insertingNumber, type NumberItem, takeNumberId } from '../store/number.ts';
import { planRefusal } from './plan.ts';
import { requireCompany } from './companies.ts';
import { parsed } from './input.ts';

/** A business number as the sending and receiving contexts use it; its secrets are opened when they are asked for. */
export interface BusinessNumber {
  companyId: number;
  id: number;
  /** Digits with country code. */
  phone: string;
  phoneNumberId: string;
  wabaId: string;
  /** The provider's API version, `v19.0` (G27). */
  version: string;
  /** The provider's root for this number alone; undefined: the deployment's. */
  baseUrl: string | undefined;
  ratePerSecond: number;
  status: 'active' | 'inactive';
  quality: string;
  accessToken: () => Promise<string>;
  /** Undefined: none is set, webhooks are accepted on their token alone (A50). */
  appSecret: () => Promise<string | undefined>;
  /** Whether a handshake's `hub.verify_token` is this number's, in constant time (A49). Only its hash is kept. */
  verifies: (presented: string) => boolean;
}

/** The number a company sends from: its oldest active one. One Query, 0.5 RRU. */
export const activeNumber = async (companyId: number): Promise<BusinessNumber | undefined> => {
  const number = (await findNumbers(companyId)).find(({ status }) => status === 'active');
  return number && opened(number);
};

/** The number that a message was to go out from; when it is no longer active, the one the company sends from now. One Query, 0.5 RRU. */
export const sendingNumber = async (companyId: number, numberId: number | undefined): Promise<BusinessNumber | undefined> => {
  const active = (await findNumbers(companyId)).filter(({ status }) => status === 'active');
  const number = active.find(({ id }) => id === numberId) ?? active[0];
  return number && opened(number);
};

/** The number that a webhook of the provider speaks of, active or not. One Query, 0.5 RRU. */
export const numberByProviderId = async (companyId: number, phoneNumberId: string): Promise<BusinessNumber | undefined> => {
  const number = (await findNumbers(companyId)).find((each) => each.phoneNumberId === phoneNumberId);
  return number && opened(number);
};

/** Every number of a company, active or not, oldest first. One Query, 0.5 RRU. */
export const businessNumbers = async (companyId: number): Promise<BusinessNumber[]> => (await findNumbers(companyId)).map(opened);

export const listNumbers = async (companyId: number): Promise<NumberRecord[] | Problem<'not_found'>> => {
  const company = await requireCompany(companyId);
  return isProblem(company) ? company : (await findNumbers(companyId)).map(showNumber);
};

/** Connects a number; `verify_token` in the answer is shown this once. */
export const addNumber = async (
  companyId: number,
  input: NumberInput,
): Promise<{ number: NumberRecord; verify_token: string } | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached'>> => {
  const fields = parsed(numberInput, input);
  if (isProblem(fields)) return fields;
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const at = now();
  const id = await takeNumberId(companyId);
  const verifyToken = fields.verify_token ?? randomBytes(24).toString('base64url');
  const number: NumberItem = {
    companyId,
    id,
    phone: fields.phone,
    phoneNumberId: fields.phone_number_id,
    wabaId: fields.waba_id,
    sealedAccessToken: await seal(fields.access_token, about(companyId, id, 'access-token')),
    ...(fields.app_secret === undefined ? {} : { sealedAppSecret: await seal(fields.app_secret, about(companyId, id, 'app-secret')) }),
    verifyTokenHash: sha256(verifyToken),
    version: fields.version ?? defaultVersion,
    ...(fields.base_url === undefined ? {} : { baseUrl: fields.base_url }),
    ratePerSecond: fields.rate ?? defaultRatePerSecond,
    status: 'active',
    quality: 'UNKNOWN',
    createdAt: at,
    updatedAt: at,
  };
  const limit = company.plan.limits.numbers;
  const committed = await commit([
    ...insertingNumber(number),
    changingCompany(companyId, { add: { numberCount: 1 } }, limit === null ? exists() : all(exists(), below('numberCount', limit))),
  ]);
  if (committed.done) return { number: showNumber(number), verify_token: verifyToken };
  return committed.refused.some(({ index }) => index < 2)
    ? invalid('phone_number_id', 'Is connected to this company already.')
    : planRefusal('numbers', limit, company.numberCount);
};

/** Changes what is not secret. Activation counts against the plan again; deactivation gives its place free. */
export const updateNumber = async (
  companyId: number,
  id: number,
  changes: NumberChanges,
): Promise<NumberRecord | Problem<'not_found' | 'validation_failed' | 'plan_limit_reached' | 'conflict'>> => {
  const fields = parsed(numberChanges, changes);
  if (isProblem(fields)) return fields;
  const [company, number] = await Promise.all([requireCompany(companyId), requireNumber(companyId, id)]);
  if (isProblem(company)) return company;
  if (isProblem(number)) return number;
  const turned = fields.status === undefined || fields.status === number.status ? 0 : fields.status === 'active' ? 1 : -1;
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
  };
  const committed = await commit([
    changingNumber(number, { set }, equals('status', number.status)),
    ...(turned === 0
      ? []
      : [
          changingCompany(
            companyId,
            { add: { numberCount: turned } },
            limit === null || turned < 0 ? exists() : all(exists(), below('numberCount', limit)),
          ),
        ]),
  ]);
  if (!committed.done)
    return committed.refused.some(({ index }) => index === 0) ? problem('conflict') : planRefusal('numbers', limit, company.numberCount);
  return (await shown(companyId, id)) ?? problem('not_found');
};

export const deactivateNumber = (companyId: number, id: number): ReturnType<typeof updateNumber> =>
  updateNumber(companyId, id, { status: 'inactive' });

/** Replaces the given secrets; calls and webhooks from the next moment on use the new ones. */
export const rotateNumberSecrets = async (
  companyId: number,
  id: number,
  secrets: NumberSecrets,
): Promise<NumberRecord | Problem<'not_found' | 'validation_failed'>> => {
  const fields = parsed(numberSecrets, secrets);
  if (isProblem(fields)) return fields;
  const number = await requireNumber(companyId, id);
  if (isProblem(number)) return number;
  const set = {
    updatedAt: now(),
    ...(fields.access_token === undefined
      ? {}
      : { sealedAccessToken: await seal(fields.access_token, about(companyId, id, 'access-token')) }),
    ...(fields.app_secret === undefined
      ? {}
      : { sealedAppSecret: fields.app_secret === null ? undefined : await seal(fields.app_secret, about(companyId, id, 'app-secret')) }),
    ...(fields.verify_token === undefined ? {} : { verifyTokenHash: sha256(fields.verify_token) }),
  };
  await commit([changingNumber(number, { set }, exists())]);
  return (await shown(companyId, id)) ?? problem('not_found');
};

function opened(number: NumberItem): BusinessNumber {
  const { companyId, id, sealedAccessToken, sealedAppSecret, verifyTokenHash } = number;
  return {
    companyId,
    id,
    phone: number.phone,
    phoneNumberId: number.phoneNumberId,
    wabaId: number.wabaId,
    version: number.version,
    baseUrl: number.baseUrl,
    ratePerSecond: number.ratePerSecond,
    status: number.status,
    quality: number.quality,
    accessToken: () => unseal(sealedAccessToken, about(companyId, id, 'access-token')),
    appSecret: async () => (sealedAppSecret === undefined ? undefined : unseal(sealedAppSecret, about(companyId, id, 'app-secret'))),
    verifies: (presented) => sameSecret(sha256(presented), verifyTokenHash),
  };
}

async function requireNumber(companyId: number, id: number): Promise<NumberItem | Problem<'not_found'>> {
  return (await findNumber(companyId, id)) ?? problem('not_found', { message: `There is no number ${id} in company ${companyId}.` });
}

async function shown(companyId: number, id: number): Promise<NumberRecord | undefined> {
  const number = await findNumber(companyId, id);
  return number && showNumber(number);
}

/** Binds a sealed value to its field of its number, so that values cannot be swapped in the table. */
function about(companyId: number, id: number, field: 'access-token' | 'app-secret'): string {
  return `number:${companyId}:${id}:${field}`;
}
