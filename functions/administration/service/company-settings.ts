import { invalid, isProblem, type Problem } from '../../../shared/contract/problems.ts';
import { defined } from '../../../shared/runtime/defined.ts';
import { getTemplate } from '../../templates/service/templates.ts';
import type { CompanyRecord } from '../../account/contract/record.ts';
import type { CompanySettingsInput } from '../contract/company-settings.ts';
import { updateCompany } from '../../account/service/companies.ts';

/** Changes of a company by its own users, who name records of their own alone. */
export const updateCompanySettings = async (
  companyId: number,
  changes: CompanySettingsInput,
): Promise<CompanyRecord | Problem<'not_found' | 'validation_failed'>> => {
  const templateId = changes.settings?.task_reminder_template_id;
  if (templateId != null && isProblem(await getTemplate(companyId, templateId)))
    return invalid('settings.task_reminder_template_id', 'There is no such template.');
  return updateCompany(companyId, defined(changes));
};
