import { randomBytes, randomInt } from 'node:crypto';
import { invalid, isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import type { Principal } from '../../../shared/contract/route.ts';
import { now } from '../../../shared/runtime/clock.ts';
import { setting } from '../../../shared/runtime/env.ts';
import { sha256 } from '../../../shared/runtime/ids.ts';
import { sameSecret, seal, unseal } from '../../../shared/runtime/seal.ts';
import { requireCompany } from '../../account/service/companies.ts';
import {
  addNumber,
  type BusinessNumber,
  listBusinessNumbers,
  nextNumberId,
  rotateNumberSecrets,
  updateNumber,
} from '../../account/service/numbers.ts';
import { getHolder, getSharedApp, getSignupApp } from '../../account/service/provider-apps.ts';
import type { Finding } from '../../messaging/contract/finding.ts';
import { type ConnectOptions, connectAtProvider } from '../../messaging/service/connect-number.ts';
import { exchangeSignupCode, readSignupAccount, registerNumber, type SignupAppAccess } from '../../messaging/service/signup-account.ts';
import { syncAccount, type SyncTimeLimits } from '../../templates/service/sync-account.ts';
import type { CompletedSignup, NewSignup } from '../domain/signup-view.ts';
import { exchangeLeaseMs, pinOf, type SignupFailure, signupFailures, signupLifeMs, signupStoredMs } from '../domain/signup.ts';
import { claimCode, getSignupItem, putSignup, type Signup, type SignupChange, updateSignup } from '../store/signup.ts';

export { nextSignupId } from '../store/signup.ts';

/** Starts to connect a number by the provider's dialog. `id`: belongs to this operation, however often it is tried. */
export const createSignup = async (
  { companyId, userId }: Pick<Principal, 'companyId' | 'userId'>,
  id: number,
): Promise<NewSignup | Problem<'not_found' | 'signup_unavailable' | 'conflict'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  const app = await getSignupApp();
  if (!app?.signup) return problem('signup_unavailable');
  const state = randomBytes(24).toString('base64url');
  const createdAt = now();
  const signup: Signup = {
    companyId,
    id,
    userId,
    stateHash: sha256(state),
    appId: app.id,
    status: 'started',
    createdAt,
    endsAt: createdAt + signupStoredMs,
  };
  if (!(await putSignup(signup))) return problem('conflict');
  return {
    signup,
    state,
    appId: app.id,
    configurationId: app.signup.configurationId,
    version: versionInUse(),
    scriptUrl: setting('SIGNUP_SCRIPT_URL'),
    dialogOrigins: setting('SIGNUP_ORIGINS').split(','),
    hostedUrl: app.signup.hostedUrl,
    expiresAt: createdAt + signupLifeMs,
  };
};

export const getSignup = async (companyId: number, id: number): Promise<Signup | Problem<'not_found'>> =>
  (await getSignupItem({ companyId, id })) ?? problem('not_found');

export interface SignupCode {
  state: string;
  code: string;
  /** What the browser says of the account and the number: a claim. */
  waba_id?: string | undefined;
  phone_number_id?: string | undefined;
  pin?: string | undefined;
}

interface Options {
  webhookUrl: ConnectOptions['webhookUrl'];
  /** Of the templates; by default those of a worker. */
  timeLimits?: SyncTimeLimits;
}

type SignupProblem = Problem<
  | 'not_found'
  | 'validation_failed'
  | 'conflict'
  | 'plan_limit_reached'
  | 'signup_refused'
  | 'signup_unavailable'
  | 'provider_rejected'
  | 'temporarily_unavailable'
>;

/**
 * Goes through the steps of a signup from where it is. Each is stored before the next, so that a repetition goes on; the code alone is
 * exchanged once. docs/decisions/signups.md
 */
export const completeSignup = async (
  { companyId, userId }: Pick<Principal, 'companyId' | 'userId'>,
  id: number,
  input: SignupCode,
  options: Options,
): Promise<CompletedSignup | SignupProblem> => {
  let signup = await getSignupItem({ companyId, id });
  // for other users it is not there
  if (signup?.userId !== userId) return problem('not_found');
  if (!sameSecret(sha256(input.state), signup.stateHash)) return invalid('state', 'Is not the one that this signup was created with.');
  const app = await getSharedApp(signup.appId);
  if (!app) return problem('signup_unavailable');
  if (signup.codeHash !== undefined && signup.codeHash !== sha256(input.code)) return refusal('other_code');
  const work: Work = { input, options, app: { id: app.id, secret: await app.secret(), version: versionInUse() }, findings: [] };
  while (signup.status !== 'connected') {
    if (signup.status === 'failed') return refusal(signup.failure ?? 'code_refused');
    const step = await steps[signup.status](signup, work);
    if (isProblem(step)) return step;
    if ('stays' in step) break;
    await updateSignup(signup, 'failure' in step ? failed(step.failure) : step);
    // another request may have gone on with it
    signup = await getSignupItem({ companyId, id });
    if (!signup) return problem('not_found');
  }
  const pin = signup.sealedPin === undefined ? undefined : await unseal(signup.sealedPin, sealContext(signup, 'pin'));
  return { signup, pin, findings: work.findings };
};

interface Work {
  input: SignupCode;
  options: Options;
  app: SignupAppAccess;
  /** Of the step that connects. */
  findings: Finding[];
}
/** What a step changes; why the signup ends; or that it stays where it is, for what the findings say. */
type Step = SignupChange | { failure: SignupFailure } | { stays: true } | SignupProblem;

const steps = {
  started: exchange,
  authorised: readAccount,
  account_known: storeNumber,
  registered: subscribe,
  subscribed: fetchTemplates,
} as const satisfies Record<Exclude<Signup['status'], 'connected' | 'failed'>, (signup: Signup, work: Work) => Promise<Step>>;

async function exchange(signup: Signup, { app, input }: Work): Promise<Step> {
  const at = now();
  if (signup.codeHash === undefined && at > signup.createdAt + signupLifeMs) return { failure: 'signup_expired' };
  if (!(await claimCode(signup, sha256(input.code), at, exchangeLeaseMs)))
    return problem('temporarily_unavailable', { retryAfterSeconds: exchangeLeaseMs / 1_000 });
  const exchanged = await exchangeSignupCode(app, input.code);
  if (isProblem(exchanged)) return exchanged;
  if ('refused' in exchanged) return { failure: exchanged.refused };
  return { set: { status: 'authorised', sealedToken: await seal(exchanged.token, sealContext(signup, 'token')) } };
}

async function readAccount(signup: Signup, { app, input }: Work): Promise<Step> {
  const { companyId } = signup;
  const account = await readSignupAccount(app, await tokenOf(signup), { wabaId: input.waba_id, phoneNumberId: input.phone_number_id });
  if (isProblem(account)) return account;
  if ('refused' in account) return { failure: account.refused };
  const { wabaId, phoneNumberId, phone, isRegistered } = account;
  const holder = await getHolder(app.id, wabaId);
  if (holder && holder.companyId !== companyId) return { failure: 'held_account' };
  const own = await findNumber(companyId, phoneNumberId);
  const numberId = own?.id ?? (await nextNumberId(companyId));
  const sealedPin = isRegistered ? undefined : await seal(input.pin ?? pinOf(randomInt(1_000_000)), sealContext(signup, 'pin'));
  return { set: { status: 'account_known', wabaId, phoneNumberId, phone, numberId, ...(sealedPin === undefined ? {} : { sealedPin }) } };
}

/** A number that is here already gets the new token and keeps all else. */
async function storeNumber(signup: Signup, { input }: Work): Promise<Step> {
  const { companyId, wabaId = '', phoneNumberId = '', phone = '', numberId = 0, sealedPin } = signup;
  const access_token = await tokenOf(signup);
  const own = await findNumber(companyId, phoneNumberId);
  const stored = own
    ? await renew(own, { wabaId, access_token })
    : await addNumber(companyId, { phone, phone_number_id: phoneNumberId, waba_id: wabaId, access_token }, { id: numberId });
  if (isProblem(stored)) return stored;
  if (sealedPin === undefined) return { set: { status: 'registered' } };
  // the number may have a PIN, which its owner knows
  const pin = input.pin ?? (await unseal(sealedPin, sealContext(signup, 'pin')));
  const registered = await registerNumber(companyId, own?.id ?? numberId, pin);
  return registered ?? { set: { status: 'registered', sealedPin: await seal(pin, sealContext(signup, 'pin')) } };
}

async function renew(number: BusinessNumber, { wabaId, access_token }: { wabaId: string; access_token: string }) {
  const rotated = await rotateNumberSecrets(number.companyId, number.id, { access_token });
  if (isProblem(rotated) || (number.wabaId === wabaId && number.status === 'active')) return rotated;
  return updateNumber(number.companyId, number.id, { waba_id: wabaId, status: 'active' });
}

async function subscribe({ companyId, numberId = 0 }: Signup, work: Work): Promise<Step> {
  const connected = await connectAtProvider(companyId, numberId, { webhookUrl: work.options.webhookUrl });
  if (isProblem(connected)) return connected;
  if ('refused' in connected) {
    work.findings.push(connected.refused);
    return { stays: true };
  }
  work.findings.push(...connected.findings);
  return { set: { status: 'subscribed' }, remove: ['sealedToken'] };
}

async function fetchTemplates({ companyId }: Signup, { options, findings }: Work): Promise<Step> {
  const synced = await syncAccount(companyId, options.timeLimits);
  const isWhole = !isProblem(synced) && synced.isWhole;
  findings.push(
    isWhole
      ? { level: 'ok', message: `${synced.synced} templates are there.` }
      : { level: 'doubtful', message: 'The templates of the account could not all be fetched.', remedy: 'templates sync.' },
  );
  return { set: { status: 'connected' } };
}

const findNumber = async (companyId: number, phoneNumberId: string): Promise<BusinessNumber | undefined> =>
  (await listBusinessNumbers(companyId, { consistent: true })).find((number) => number.phoneNumberId === phoneNumberId);

const failed = (failure: SignupFailure): SignupChange => ({ set: { status: 'failed', failure }, remove: ['sealedToken', 'sealedPin'] });

const refusal = (reason: SignupFailure): Problem<'signup_refused'> =>
  problem('signup_refused', { message: signupFailures[reason], details: { reason } });

const tokenOf = (signup: Signup): Promise<string> => unseal(signup.sealedToken ?? '', sealContext(signup, 'token'));

/** Binds a sealed value to its field of its signup. */
const sealContext = ({ companyId, id }: Signup, field: 'token' | 'pin'): string => `signup:${companyId}:${id}:${field}`;

const versionInUse = (): string => setting('PROVIDER_VERSION');
