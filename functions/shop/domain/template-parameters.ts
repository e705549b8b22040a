import { templateFields, type TemplateField, type TemplateSetting } from '../contract/settings.ts';
import type { Cart, Order } from '../contract/stored.ts';
import { fromMinor } from './money.ts';

/** What takes the place of a template's placeholders when the shop speaks to a customer. */
export type TemplateValues = Readonly<Partial<Record<TemplateField, string>>>;

export const valuesOfOrder = (order: Order): TemplateValues => ({
  ...definedValues({
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

export const valuesOfCart = (cart: Cart): TemplateValues => ({
  ...definedValues({
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
export const exampleValues: TemplateValues = Object.fromEntries(templateFields.map((field) => [field, field]));

/** The template's components: each placeholder has the fact it is matched with, or else its fixed value. */
export const templateParameters = ({ template_id, paramvalues, parammatch }: TemplateSetting, values: TemplateValues) => {
  const textsOf = (part: 'body' | 'header' | 'buttons'): [string, string][] => {
    const [fixedValues, matches] = [paramvalues[part], parammatch[part]];
    const names = [...new Set([...Object.keys(fixedValues), ...Object.keys(matches)])].toSorted((a, b) => Number(a) - Number(b));
    return names.flatMap((name): [string, string][] => {
      const field = matches[name];
      const text = (field && values[field]) ?? fixedValues[name];
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

const definedValues = (facts: Readonly<Partial<Record<TemplateField, string | undefined>>>): TemplateValues =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ''));
