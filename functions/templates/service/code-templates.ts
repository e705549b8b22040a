import { getTemplateByName } from '../store/template.ts';

/** What a sender of codes must know of a template of the provider. */
export interface CodeTemplateInfo {
  category: string;
  status: string;
  /** How long the provider tries to deliver it; without a word of its own ten minutes (provider reference §1.1). */
  ttlSeconds: number;
}

/** A template by name and language as we know it; undefined: there is none. 0.5 RRU, a miss 1.5. */
export const getCodeTemplate = async (companyId: number, name: string, language: string): Promise<CodeTemplateInfo | undefined> => {
  const template = await getTemplateByName(companyId, name, language);
  return template && { category: template.category, status: template.status, ttlSeconds: template.messageTtlSeconds ?? 600 };
};
