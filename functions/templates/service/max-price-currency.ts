import { invalid, type Problem } from '../../../shared/contract/problems.ts';
import type { TemplateBody } from '../contract/template.ts';

/** A max price is in the currency in which the account is charged: the provider takes the number alone. Undefined: it is, or that is not known yet. */
export const currencyProblem = (
  price: TemplateBody['max_price'],
  currency: string | undefined,
): Problem<'validation_failed'> | undefined =>
  price && currency !== undefined && price.currency !== currency
    ? invalid('max_price.currency', `The max price of a template is in the currency of its business account, ${currency}.`)
    : undefined;
