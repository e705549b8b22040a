import * as z from 'zod';
import { success } from '../../shared/contract/envelope.ts';
import { roles, route, scopes } from '../../shared/contract/route.ts';
import { planLimits } from './contract/plan.ts';

export { type Receiver, receivers } from './contract/receiver.ts';
export { timezone } from './contract/timezone.ts';
export type { CompanyChanges, CompanyInput } from './contract/company.ts';
export type { ErpTokenInput, WebhookTokenInput } from './contract/machine-token.ts';
export type { NumberChanges, NumberInput, NumberSecrets } from './contract/number.ts';
export type { PlanLimits } from './contract/plan.ts';
export type { ProfileInput } from './contract/profile.ts';
export type { CompanyRecord, CredentialRecord, KeyRecord, NumberRecord, ProfileRecord, UserRecord } from './contract/record.ts';
export type { TokenInput } from './contract/token.ts';
export type { UserInput } from './contract/user.ts';

export const profile = z.object({
  id: z.int(),
  name: z.string(),
  email: z.string(),
  company_name: z.string(),
  company_id: z.int(),
  role: z.enum(roles),
  scopes: z.array(z.enum(scopes)),
  timezone: z.string(),
  plan: z.object({
    name: z.string(),
    limits: planLimits,
    usage: z.object({ contacts: z.int(), users: z.int(), numbers: z.int() }),
  }),
  numbers: z.array(z.object({ id: z.int(), phone: z.string(), status: z.enum(['active', 'inactive']) })),
});
export type Profile = z.output<typeof profile>;

export const routes = {
  getMe: route({
    method: 'GET',
    path: '/api/v1/me',
    summary: 'The profile and company behind the token',
    caller: { kind: 'token', scope: 'profile:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    answers: { 200: success(profile) },
    errors: [],
  }),
};
