import { templateFields, type TemplateField, type TemplateSetting } from '../contract/settings.ts';
import type { Cart, Order } from '../contract/stored.ts';
import { fromMinor } from './money.ts';
import { trackingUrlOf } from './order.ts';

/** The values that fill a template's placeholders in messages about orders and carts. */
export type TemplateValues = Readonly<Partial<Record<TemplateField, string>>>;

export const valuesOfOrder = (order: Order): TemplateValues => ({
  ...definedValues({
    customer_name: order.customerName,
    customer_phone: order.customerPhone,
    customer_email: order.customerEmail,
    tracking_number: order.trackingNumber,
    tracking_url: trackingUrlOf(order),
  }),
  order_number: order.number,
  status: order.status,
  total_amount: fromMinor(order.total, order.currency),
  currency: order.currency,
  items: itemsText(order.items.map(({ name, quantity }) => (quantity > 1 ? `${quantity} x ${name}` : name))),
});

/** Some checkouts name no currency; then it is that of the shop. */
export const valuesOfCart = (cart: Cart, shopCurrency: string): TemplateValues => ({
  ...definedValues({
    customer_name: cart.name,
    customer_phone: cart.phone,
    customer_email: cart.email,
    total_amount: cart.total,
    currency: cart.currency ?? shopCurrency,
    cart_url: cart.url,
  }),
  items: itemsText(cart.items),
});

/** A value for every field, to check whether a setting covers all placeholders of its template. */
export const exampleValues: TemplateValues = Object.fromEntries(templateFields.map((field) => [field, field]));

/** The template's components. Each placeholder takes its matched field, or else its fixed value. */
export const settingParameters = ({ template_id, paramvalues, parammatch }: TemplateSetting, values: TemplateValues) => {
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

/** The provider rejects line breaks, tabs and more than four consecutive spaces in a parameter. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

const itemsText = (names: readonly string[]): string => {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} +${names.length - 3}` : shown;
};

const definedValues = (facts: Readonly<Partial<Record<TemplateField, string | undefined>>>): TemplateValues =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined && value !== ''));
