import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { roles, route } from '../../../shared/contract/route.ts';
import { numberStateFields } from './number-view.ts';
import { planLimits } from './plan.ts';
import { tokenScope } from './record.ts';

export const profile = z
  .object({
    id: z.int().meta({ description: 'The id of the user.' }),
    name: z.string().meta({ description: 'Name of the user.' }),
    email: z.string().meta({ description: 'Email address of the user.' }),
    company_name: z.string().meta({ description: 'Name of the company.' }),
    company_id: z.int().meta({ description: 'The id of the company.' }),
    role: z.enum(roles).meta({
      description: 'Role of the user: viewer reads, member also writes and sends, admin also changes settings, owner may do all.',
    }),
    scopes: z.array(tokenScope).meta({ description: 'What the token may do.' }),
    timezone: z.string().meta({ description: 'IANA time zone of the company.' }),
    plan: z
      .object({
        name: z.string().meta({ description: 'Name of the plan.' }),
        limits: planLimits.meta({ description: 'Limits of the plan; null: no limit.' }),
        usage: z
          .object({
            contacts: z.int().meta({ description: 'Number of contacts.' }),
            users: z.int().meta({ description: 'Number of active users.' }),
            numbers: z.int().meta({ description: 'Number of active business numbers.' }),
            pipelines: z.int().meta({ description: 'Number of pipelines.' }),
          })
          .meta({ description: 'How much of the limits is used.' }),
      })
      .meta({ description: 'The plan of the company.' }),
    numbers: z
      .array(
        z.object({
          id: z.int().meta({ description: 'The id of the number.' }),
          phone: z.string().meta({ description: 'Digits with country code, no plus.' }),
          status: z.enum(['active', 'inactive']).meta({ description: 'Whether messages are sent from the number.' }),
          ...numberStateFields,
        }),
      )
      .meta({ description: 'Business numbers of the company.' }),
  })
  .meta({ id: 'Profile' });
export type Profile = z.output<typeof profile>;

export const meRoutes = {
  getMe: route({
    method: 'GET',
    path: '/api/v1/me',
    summary: 'Get the user and company of the token',
    description:
      'Returns the user and the company of the token, with role, scopes, plan limits and their usage, and business numbers. Useful to test a token.',
    caller: { kind: 'token', scope: 'profile:read', role: 'viewer' },
    answers: { 200: success(profile) },
    errors: [],
  }),
};
