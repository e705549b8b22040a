import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { route } from '../../../shared/contract/route.ts';
import { appId, appSecret, companyAppInput, companyAppRecord } from '../../account/contract/company-app.ts';

const deletedApp = z.object({
  app_id: z.string().meta({ description: 'The id of the app at the provider.' }),
  deleted: z.literal(true).meta({ description: 'It was deleted.' }),
});

const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const reader = { kind: 'token', scope: 'account:read', role: 'viewer' } as const;
const params = z.object({ app_id: appId });
const path = '/api/v1/apps';

export const appRoutes = {
  listApps: route({
    method: 'GET',
    path,
    summary: 'List apps of the provider',
    description: 'The apps that the company added, with the numbers that name them. Those that the deployment shares are not among them.',
    caller: reader,
    answers: { 200: success(z.array(companyAppRecord)) },
    errors: [],
  }),
  createApp: route({
    method: 'POST',
    path,
    freshProof: true,
    makes: 'number',
    summary: 'Add an app of the provider',
    description:
      'Stores an app of the company, whose secret the provider is asked about. Numbers name it (app_id), and once they are connected its one receiver brings what the provider posts to them. An app is of one company.',
    caller: manager,
    limit: 'bulk',
    body: companyAppInput.meta({ id: 'CreateAppRequest' }),
    secret: true,
    answers: { 200: success(companyAppRecord) },
    refuses: ['proof'],
    errors: ['not_found', 'validation_failed', 'conflict', 'plan_limit_reached', 'temporarily_unavailable'],
  }),
  getApp: route({
    method: 'GET',
    path: `${path}/{app_id}`,
    summary: 'Get an app of the provider',
    description: 'Returns an app of the company, without its secret.',
    caller: reader,
    params,
    answers: { 200: success(companyAppRecord) },
    errors: ['not_found'],
  }),
  rotateAppSecret: route({
    method: 'POST',
    path: `${path}/{app_id}/rotate`,
    freshProof: true,
    makes: 'number',
    summary: 'Replace the secret of an app',
    description:
      'After it was reset at the provider, which is asked about the new one. What is signed with the former secret is refused, and posted again by the provider.',
    caller: manager,
    limit: 'bulk',
    params,
    body: z.object({ app_secret: appSecret }).meta({ id: 'RotateAppSecretRequest' }),
    secret: true,
    answers: { 200: success(companyAppRecord) },
    refuses: ['proof'],
    errors: ['not_found', 'validation_failed', 'temporarily_unavailable'],
  }),
  deleteApp: route({
    method: 'DELETE',
    path: `${path}/{app_id}`,
    summary: 'Delete an app',
    description: 'Its receiver is unknown from then on. Refused while numbers name it: change or remove their app_id first.',
    caller: manager,
    params,
    answers: { 200: success(deletedApp) },
    errors: ['not_found', 'conflict'],
  }),
};
