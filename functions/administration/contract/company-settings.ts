import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { settingsInput } from '../../account/contract/company.ts';
import { companyRecord } from '../../account/contract/record.ts';
import { timezone } from '../../account/contract/timezone.ts';

/** What a company changes by itself: its plan and its suspension are the operator's. */
export const companySettingsInput = z.object({
  name: text(100, 1).optional().meta({ description: 'The name of the company.' }),
  timezone: timezone.optional().meta({ description: 'IANA time zone, such as Europe/Berlin.' }),
  settings: settingsInput.optional().meta({ description: 'Settings to change; absent ones stay as they are.' }),
});
export type CompanySettingsInput = z.output<typeof companySettingsInput>;

const path = '/api/v1/company';

export const companyRoutes = {
  getCompanySettings: route({
    method: 'GET',
    path,
    summary: 'Get the company and its settings',
    description: 'Returns name, time zone, plan and settings of the company.',
    caller: { kind: 'token', scope: 'account:read', role: 'viewer' },
    answers: { 200: success(companyRecord) },
    errors: ['not_found'],
  }),
  updateCompanySettings: route({
    method: 'PUT',
    path,
    summary: 'Change the settings of the company',
    description: 'Changes what is sent and leaves the rest. Each change is in the audit log.',
    caller: { kind: 'token', scope: 'account:manage', role: 'admin' },
    body: companySettingsInput.meta({ id: 'UpdateCompanySettingsRequest' }),
    answers: { 200: success(companyRecord) },
    errors: ['not_found', 'validation_failed'],
  }),
};
