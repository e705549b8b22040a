import type { Cart, Order, ShopField, ShopTemplate, Template } from '../../../client/client.ts';
import { partsOf, type Placeholder, placeholdersOf, type Values } from '../../components/template-parts.ts';

type Part = 'body' | 'header' | 'buttons';

/** What an order, or a cart, can fill a placeholder with. */
export const orderFields = [
  'customer_name',
  'order_number',
  'status',
  'total_amount',
  'currency',
  'items',
  'tracking_number',
  'tracking_url',
  'customer_phone',
  'customer_email',
] as const satisfies readonly ShopField[];
export const cartFields = [
  'customer_name',
  'items',
  'total_amount',
  'currency',
  'cart_url',
  'customer_phone',
  'customer_email',
] as const satisfies readonly ShopField[];

/** How one placeholder is filled: with a field, with a text where the field is empty, or with the text alone. */
export interface Filling {
  field: ShopField | '';
  text: string;
}
export type Fillings = Readonly<Record<string, Filling>>;

/** Templates that the shop can fill: those with texts and links alone. */
export const isFillable = (template: Template): boolean =>
  partsOf(template).cards.length === 0 && placeholdersOf(partsOf(template)).every(({ part }) => ['header', 'body', 'link'].includes(part));

const placeOf = ({ id }: Placeholder): readonly [Part, string] => {
  const [part = '', name = ''] = id.split(':');
  return [part === 'button' ? 'buttons' : (part as Part), name];
};

/** What is chosen for each placeholder, as it was stored. */
export const fillingsOf = (
  placeholders: readonly Placeholder[],
  stored: Pick<ShopTemplate, 'parammatch' | 'paramvalues'> | undefined,
): Fillings =>
  Object.fromEntries(
    placeholders.map((each) => {
      const [part, name] = placeOf(each);
      return [each.id, { field: stored?.parammatch[part]?.[name] ?? '', text: stored?.paramvalues[part]?.[name] ?? '' }];
    }),
  );

/** The same in the form that is stored. */
export const settingOf = (placeholders: readonly Placeholder[], fillings: Fillings) => {
  const parammatch: Record<Part, Record<string, ShopField>> = { body: {}, header: {}, buttons: {} };
  const paramvalues: Record<Part, Record<string, string>> = { body: {}, header: {}, buttons: {} };
  for (const each of placeholders) {
    const [part, name] = placeOf(each);
    const { field, text } = fillings[each.id] ?? { field: '', text: '' };
    if (field !== '') parammatch[part][name] = field;
    if (text.trim() !== '') paramvalues[part][name] = text.trim();
  }
  return { parammatch, paramvalues };
};

export type Sample = Readonly<Partial<Record<ShopField, string>>>;

const present = (facts: Readonly<Record<string, string | null | undefined>>): Sample =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value != null && value !== '')) as Sample;

const itemsText = (names: readonly string[]): string =>
  names.length > 3 ? `${names.slice(0, 3).join(', ')} +${names.length - 3}` : names.join(', ');

/** What an order has of each field. */
export const sampleOfOrder = (order: Order): Sample =>
  present({
    customer_name: order.customer_name,
    customer_phone: order.customer_phone,
    customer_email: order.customer_email,
    order_number: order.order_number,
    status: order.status,
    total_amount: order.total_amount,
    currency: order.currency,
    tracking_number: order.tracking_number,
    tracking_url: order.tracking_url,
    items: itemsText(order.items.map(({ name, quantity }) => (quantity > 1 ? `${quantity} x ${name}` : name))),
  });

export const sampleOfCart = (cart: Cart): Sample =>
  present({
    customer_name: cart.customer_name,
    customer_phone: cart.customer_phone,
    customer_email: cart.customer_email,
    total_amount: cart.total_amount,
    currency: cart.currency,
    cart_url: cart.cart_url,
    items: itemsText(cart.items),
  });

/** The values of a message about this order or cart, as it is sent: a field, or where that is empty the text. */
export const valuesFor = (fillings: Fillings, sample: Sample): Values =>
  Object.fromEntries(
    Object.entries(fillings).map(([id, { field, text }]) => [id, ((field !== '' && sample[field]) || text).replace(/\s+/g, ' ').trim()]),
  );
