import { isProblem, problem, type Problem } from '../../../shared/contract/problems.ts';
import { newToken, tokenHash } from '../../../shared/access/token.ts';
import { dayMs, isoTime, now } from '../../../shared/runtime/clock.ts';
import { seal, unseal } from '../../../shared/runtime/seal.ts';
import type { CompanyAppInput, CompanyAppRecord } from '../contract/company-app.ts';
import * as store from '../store/company-app.ts';
import { getProviderApp, getProviderHolder } from '../store/provider-app.ts';
import { requireCompany } from './companies.ts';
import { type BusinessNumber, listBusinessNumbers } from './numbers.ts';
import { getSharedApp, type ReceivingApp } from './provider-apps.ts';

/** Of one company. Each has a receiver, which reads it. */
const maxApps = 20;
/** How long an app that was deleted is still known, so that a repeated deletion is answered as the first was. */
const deletedLifeMs = 30 * dayMs;

/** When the request began, epoch milliseconds: the same for its repetitions, which find what the first one made. */
interface RequestTime {
  startedAt: number;
}

/** Adds an app, whose secret was proven at the provider. Its receiver takes posts from then on; numbers are routed once they are connected. */
export const createCompanyApp = async (
  companyId: number,
  { app_id: id, app_secret: secret, name }: CompanyAppInput,
  { startedAt }: RequestTime,
): Promise<CompanyAppRecord | Problem<'not_found' | 'conflict' | 'plan_limit_reached'>> => {
  const company = await requireCompany(companyId);
  if (isProblem(company)) return company;
  if (await getProviderApp(id, { consistent: true })) return sharedAlready;
  const existing = await store.listCompanyAppItems(companyId);
  const used = existing.filter((app) => app.status === 'active' && app.id !== id).length;
  if (used >= maxApps)
    return problem('plan_limit_reached', {
      message: `A company may have ${maxApps} apps.`,
      details: { resource: 'apps', limit: maxApps, used },
    });
  const token = newToken('webhook_token');
  const app: store.CompanyAppItem = {
    companyId,
    id,
    name,
    status: 'active',
    sealedSecret: await seal(secret, sealContext({ companyId, id }, 'secret')),
    sealedReceiver: await seal(token, sealContext({ companyId, id }, 'receiver')),
    receiverHash: tokenHash(token),
    namings: 0,
    createdAt: startedAt,
    updatedAt: startedAt,
  };
  if (await store.createCompanyAppItem(app)) return toRecord(app, []);
  const held = await store.getCompanyAppItem({ companyId, id }, { consistent: true });
  if (held?.status !== 'active') return problem('conflict', { message: `The app ${id} is another company’s of this deployment.` });
  return held.createdAt === startedAt ? recordOf(held) : problem('conflict', { message: `The app ${id} is there already.` });
};

export const listApps = async (companyId: number): Promise<CompanyAppRecord[]> => {
  const [apps, numbers] = await Promise.all([store.listCompanyAppItems(companyId), listBusinessNumbers(companyId)]);
  return apps.filter(({ status }) => status === 'active').map((app) => toRecord(app, numbers));
};

export const getApp = async (companyId: number, id: string): Promise<CompanyAppRecord | Problem<'not_found'>> => {
  const app = await requireApp({ companyId, id });
  return isProblem(app) ? app : recordOf(app);
};

/** Replaces the secret, which was proven at the provider. */
export const rotateCompanyAppSecret = async (
  companyId: number,
  id: string,
  secret: string,
): Promise<CompanyAppRecord | Problem<'not_found'>> => {
  const sealed = await seal(secret, sealContext({ companyId, id }, 'secret'));
  if (!(await store.updateCompanyAppSecret({ companyId, id }, sealed, now()))) return noApp(id);
  return getApp(companyId, id);
};

/** Deletes an app that no number names: its receiver is unknown from then on, within ten seconds. */
export const deleteApp = async (
  companyId: number,
  id: string,
  { startedAt }: RequestTime,
): Promise<{ app_id: string } | Problem<'not_found' | 'conflict'>> => {
  // before the numbers are read: one that names the app from then on is noticed
  const app = await store.getCompanyAppItem({ companyId, id }, { consistent: true });
  const isDone = app?.status === 'deleted' && app.updatedAt === startedAt;
  if (isDone) return { app_id: id };
  if (app?.status !== 'active') return noApp(id);
  const numbers = (await listBusinessNumbers(companyId, { consistent: true })).filter(({ appId }) => appId === id);
  if (numbers.length > 0)
    return problem('conflict', {
      message: `Numbers name the app: ${numbers.map((number) => number.id).join(', ')}. Give them another app_id, or null, first.`,
    });
  return (await store.deleteCompanyAppItem(app, startedAt, startedAt + deletedLifeMs))
    ? { app_id: id }
    : problem('conflict', { message: 'A number came to name the app meanwhile.' });
};

/** An app of the company by which its posts are checked; undefined: it has none such. 0.5 RRU. */
export const getOwnApp = async (companyId: number, id: string): Promise<ReceivingApp | undefined> => {
  const app = await store.getCompanyAppItem({ companyId, id });
  return app?.status === 'active' ? toReceivingApp(app) : undefined;
};

/** The app that a company's numbers may name: its own, or one that the deployment shares. 0.5 RRU, or 1. */
export const getNameableApp = async (companyId: number, id: string): Promise<ReceivingApp | undefined> =>
  (await getSharedApp(id)) ?? (await getOwnApp(companyId, id));

/** Whether an app is another company's of this deployment. 0.5 RRU. */
export const isAppOfAnother = async (companyId: number, id: string): Promise<boolean> => {
  const owner = await getProviderHolder(id);
  return owner?.appId === id && owner.companyId !== companyId;
};

const sharedAlready = problem('conflict', { message: 'The deployment shares the app already: numbers name it as it is.' });

const noApp = (id: string): Problem<'not_found'> => problem('not_found', { message: `The company has no app ${id}.` });

async function requireApp(id: store.CompanyAppId): Promise<store.CompanyAppItem | Problem<'not_found'>> {
  const app = await store.getCompanyAppItem(id, { consistent: true });
  return app?.status === 'active' ? app : noApp(id.id);
}

const recordOf = async (app: store.CompanyAppItem): Promise<CompanyAppRecord> => toRecord(app, await listBusinessNumbers(app.companyId));

const toRecord = (
  { id, name, createdAt, updatedAt }: store.CompanyAppItem,
  numbers: readonly Pick<BusinessNumber, 'id' | 'appId'>[],
): CompanyAppRecord => ({
  app_id: id,
  name,
  number_ids: numbers.filter(({ appId }) => appId === id).map((number) => number.id),
  created_at: isoTime(createdAt),
  updated_at: isoTime(updatedAt),
});

const toReceivingApp = (app: store.CompanyAppItem): ReceivingApp => ({
  id: app.id,
  name: app.name,
  secret: () => unseal(app.sealedSecret ?? '', sealContext(app, 'secret')),
  receiver: async () => ({ token: await unseal(app.sealedReceiver ?? '', sealContext(app, 'receiver')) }),
});

/** Binds a sealed value to its field of the app of its company. */
const sealContext = ({ companyId, id }: store.CompanyAppId, what: 'secret' | 'receiver'): string =>
  `company-app:${companyId}:${id}:${what}`;
