import { toDraft } from '../../../functions/templates/domain/draft.ts';
import { validateTemplate } from '../../../functions/templates/domain/rules.ts';
import { componentsFor, type ButtonKind, maxPriceFor, type TemplateDraft, withButton } from './template-draft.ts';

/** Why fields are refused, by the API's names of them: `components.1.text`. */
export type Reasons = Readonly<Record<string, readonly string[]>>;

/**
 * What the API would refuse of a draft, by its own rules, before the provider is called.
 *
 * @param isNamed of a template that is changed: whether its variables have names, which stays so
 * @param hasPrice of a template that is changed: whether it has a max price, which cannot be taken away
 */
export const reasonsOf = (draft: TemplateDraft, isNamed?: boolean, hasPrice = false): Reasons => {
  const { name, language, category } = draft;
  const price = maxPriceFor(draft);
  const given = {
    ...(isNamed === undefined ? {} : { parameter_format: isNamed ? 'NAMED' : 'POSITIONAL' }),
    ...(price ? { max_price: price } : {}),
  };
  return {
    ...validateTemplate(toDraft({ name, language, category, components: componentsFor(draft), ...given }), given),
    ...(hasPrice && !price ? { 'max_price.amount': ['Required.'] } : {}),
  };
};

/** The API's name of a field of one component, such as `components.1.text`. */
export const fieldAt = (draft: TemplateDraft, type: 'HEADER' | 'BODY' | 'FOOTER' | 'BUTTONS', field: string): string =>
  `components.${componentsFor(draft).findIndex((each) => each.type === type)}.${field}`;

/** The reasons of a field and of what is within it. */
export const reasonsAt = (reasons: Reasons, field: string): readonly string[] => [
  ...new Set(
    Object.entries(reasons)
      .filter(([name]) => name === field || name.startsWith(`${field}.`))
      .flatMap(([, each]) => each),
  ),
];

/** Whether the rules take another button of a kind: there may be no reason against the buttons as such that is not there already. */
export const takesButton = (draft: TemplateDraft, type: ButtonKind): boolean => {
  const against = (buttons: TemplateDraft['buttons']): number => {
    const next = { ...draft, buttons };
    return buttons.length === 0 ? 0 : (reasonsOf(next)[fieldAt(next, 'BUTTONS', 'buttons')] ?? []).length;
  };
  return against(withButton(draft.buttons, type)) <= against(draft.buttons);
};
