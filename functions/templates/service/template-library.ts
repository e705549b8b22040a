import { invalid, problem, type Problem } from '../../../shared/contract/problems.ts';
import { type BusinessNumber, listActiveNumbers } from '../../account/service/numbers.ts';
import type { LibraryQuery, LibraryTemplate } from '../contract/library.ts';
import type { TemplateDraft } from '../domain/draft.ts';
import { libraryComponents, libraryErrors } from '../domain/library.ts';
import { normalizeLanguage } from '../domain/name.ts';
import { listLibraryTemplates } from '../gateway/templates.ts';
import { providerRejected, providerUnavailable } from './provider-problems.ts';

type LibraryProblem = Problem<'validation_failed' | 'number_missing' | 'provider_rejected' | 'temporarily_unavailable'>;

/** Templates of the provider's library, read from the provider at once: it belongs to no company. */
export const listTemplateLibrary = async (
  companyId: number,
  { number_id: numberId, language, use_case: usecase, ...query }: LibraryQuery,
): Promise<{ templates: LibraryTemplate[]; is_complete: boolean } | LibraryProblem> => {
  const numbers = await listActiveNumbers(companyId);
  const number = numberId === undefined ? numbers[0] : numbers.find(({ id }) => id === numberId);
  if (!number) return numberId === undefined ? problem('number_missing') : invalid('number_id', `There is no active number ${numberId}.`);
  const found = await listLibraryTemplates(number, { ...query, usecase, language: language && normalizeLanguage(language) });
  if (found.outcome === 'refused') return providerRejected(found.refusal);
  return found.outcome === 'done' ? { templates: found.value.templates, is_complete: found.value.isComplete } : providerUnavailable(found);
};

/** A draft from the library with the texts of its library template, which is read and compared with it first; any other draft as it is. */
export const withLibraryTexts = async (account: BusinessNumber, draft: TemplateDraft): Promise<TemplateDraft | LibraryProblem> => {
  if (!draft.library) return draft;
  const { name } = draft.library;
  const found = await listLibraryTemplates(account, { name, language: draft.language });
  if (found.outcome === 'refused') return providerRejected(found.refusal);
  if (found.outcome !== 'done') return providerUnavailable(found);
  const template = found.value.templates.find((each) => each.name === name && each.language === draft.language);
  const errors = libraryErrors(draft, template);
  return Object.keys(errors).length > 0 || !template
    ? problem('validation_failed', { errors })
    : { ...draft, components: libraryComponents(draft, template) };
};
