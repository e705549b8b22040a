import { isProblem, type Problem } from '../../../shared/contract/problems.ts';
import type { CompanyAppInput, CompanyAppRecord } from '../../account/contract/company-app.ts';
import * as account from '../../account/service/company-apps.ts';
import { verifyAppSecret } from '../../messaging/service/verify-app.ts';

/** Adds an app of a company, once the provider took its secret: an id alone is no secret, and takes no app from whose it is. */
export const createApp = async (
  companyId: number,
  input: CompanyAppInput,
  request: { startedAt: number },
): Promise<CompanyAppRecord | Problem<'not_found' | 'validation_failed' | 'conflict' | 'plan_limit_reached' | 'temporarily_unavailable'>> =>
  (await verifyAppSecret({ id: input.app_id, secret: input.app_secret })) ?? account.createCompanyApp(companyId, input, request);

/** Replaces the secret of an app, once the provider took the new one. */
export const rotateAppSecret = async (
  companyId: number,
  id: string,
  secret: string,
): Promise<CompanyAppRecord | Problem<'not_found' | 'validation_failed' | 'temporarily_unavailable'>> => {
  const app = await account.getApp(companyId, id);
  if (isProblem(app)) return app;
  return (await verifyAppSecret({ id, secret })) ?? account.rotateCompanyAppSecret(companyId, id, secret);
};
