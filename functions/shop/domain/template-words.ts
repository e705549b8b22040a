import { matchFields, type MatchField, type TemplateSetting } from '../contract/settings.ts';
import type { Cart, Order } from '../contract/stored.ts';
import { fromMinor } from './money.ts';

/** What takes the place of a template's placeholders when the shop speaks to a customer. */
export type Facts = Readonly<Partial<Record<MatchField, string>>>;

export const factsOfOrder = (order: Order): Facts => ({
  ...given({
    customer_name: order.customerName,
    customer_phone: order.customerPhone,
    customer_email: order.customerEmail,
    tracking_number: order.trackingNumber,
    tracking_url: order.trackingUrl,
  }),
  order_number: order.number,
  status: order.status,
  total_amount: fromMinor(order.total, order.currency),
  currency: order.currency,
  items: itemsText(order.items.map(({ name, quantity }) => (quantity > 1 ? `${quantity} x ${name}` : name))),
});

export const factsOfCart = (cart: Cart): Facts => ({
  ...given({
    customer_name: cart.name,
    customer_phone: cart.phone,
    customer_email: cart.email,
    total_amount: cart.total,
    currency: cart.currency,
    cart_url: cart.url,
  }),
  items: itemsText(cart.items),
});

/** Something for every field, to see whether a template's placeholders are all covered. */
export const exampleFacts: Facts = Object.fromEntries(matchFields.map((field) => [field, field]));

/** The template's components: each placeholder has the fact it is matched with, or else its fixed value. */
export const wordsOf = ({ template_id, paramvalues, parammatch }: TemplateSetting, facts: Facts) => {
  const textsOf = (part: 'body' | 'header' | 'buttons'): [string, string][] => {
    const [values, matches] = [paramvalues[part], parammatch[part]];
    const names = [...new Set([...Object.keys(values), ...Object.keys(matches)])].toSorted((a, b) => Number(a) - Number(b));
    return names.flatMap((name): [string, string][] => {
      const field = matches[name];
      const text = (field && facts[field]) ?? values[name];
      return text ? [[name, oneLine(text)]] : [];
    });
  };
  const parameters = (texts: [string, string][]) =>
    texts.map(([name, text]) => ({ type: 'text', text, ...(/^\d+$/.test(name) ? {} : { parameter_name: name }) }));
  const [header, body] = [textsOf('header'), textsOf('body')];
  return {
    templateId: template_id,
    components: [
      ...(header.length > 0 ? [{ type: 'header', parameters: parameters(header) }] : []),
      ...(body.length > 0 ? [{ type: 'body', parameters: parameters(body) }] : []),
      ...textsOf('buttons').map(([index, text]) => ({ type: 'button', sub_type: 'url', index, parameters: [{ type: 'text', text }] })),
    ],
  };
};

/** The provider takes no line breaks, tabs or long runs of blanks in a parameter. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const itemsText = (names: readonly string[]): string => {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} +${names.length - 3}` : shown;
};

const given = (facts: Readonly<Partial<Record<MatchField, string | undefined>>>): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ''));
