import type { TransactionPart } from '../../../shared/table/transaction.ts';
import type { StoredTemplate } from '../contract/stored.ts';
import { createTemplateUseParts, deleteTemplateUseParts, listTemplateUsers, type TemplateUse } from '../store/template-use.ts';

/**
 * Work that needs a template: while there is some, the template is not deleted. The context that does the work adds these parts to the
 * transactions that start and end it. `user` names the work: `campaign:12`.
 */
export const startTemplateUse = (template: StoredTemplate, user: string, at: number): TransactionPart[] =>
  createTemplateUseParts(template, user, at);

export const endTemplateUse = (use: TemplateUse): TransactionPart[] => deleteTemplateUseParts(use);

/** The work that uses a template now. 1 RRU per 4 KB. */
export const getTemplateUsers = (companyId: number, templateId: number): Promise<string[]> => listTemplateUsers(companyId, templateId);
