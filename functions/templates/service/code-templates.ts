import { templateButtons, type TemplateParameters, templateParameters } from '../contract/parameters.ts';
import { normalizeLanguage } from '../domain/name.ts';
import { getTemplateByName, listTemplatePage } from '../store/template.ts';

/** What a sender of verification codes needs to know of a template. */
export interface CodeTemplateInfo {
  category: string;
  status: string;
  /** How long the provider tries to deliver the message: ten minutes unless the template sets a time. */
  ttlSeconds: number;
  parameters: TemplateParameters;
  /** Where its buttons lead, by index. */
  urls: (string | undefined)[];
}

/** A template by name and language, of whichever account has it; undefined: there is none. 0.5 RRU, a miss 2. */
export const getCodeTemplate = async (companyId: number, name: string, language: string): Promise<CodeTemplateInfo | undefined> => {
  const template =
    (await getTemplateByName(companyId, name, language)) ??
    (await listTemplatePage(companyId, { status: undefined, name, after: undefined, limit: 100 })).templates.find(
      (each) => each.language === normalizeLanguage(language),
    );
  return (
    template && {
      category: template.category,
      status: template.status,
      ttlSeconds: template.messageTtlSeconds ?? 600,
      parameters: templateParameters(template),
      urls: templateButtons(template).map(({ url }) => url),
    }
  );
};
