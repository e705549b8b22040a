import type { Message } from '../../../client/client.ts';
import { listIn, record, textIn } from './message-data.ts';

/** What cards, orders and advertisements say, taken out of the provider's form; apart from what the first page needs. */

interface Card {
  name: string;
  phones: string[];
  emails: string[];
  company: string | undefined;
}

export const cardsIn = (content: Message['content']): Card[] => {
  const cards = listIn(content?.['contacts']).map((each): Card => {
    const card = record(each);
    const phones = listIn(card?.['phones']).flatMap((phone) => textIn(record(phone)?.['phone']) ?? textIn(record(phone)?.['wa_id']) ?? []);
    const emails = listIn(card?.['emails']).flatMap((email) => textIn(record(email)?.['email']) ?? []);
    const company = textIn(record(card?.['org'])?.['company']);
    return { name: textIn(record(card?.['name'])?.['formatted_name']) ?? phones[0] ?? '', phones, emails, company };
  });
  return cards.filter(({ name }) => name !== '');
};

interface Order {
  items: { product: string; quantity: number; price: number | undefined; currency: string | undefined }[];
  /** By currency, in the order of the items. */
  totals: { total: number; currency: string }[];
  note: string | undefined;
}

export const orderIn = (content: Message['content']): Order => {
  const order = record(content?.['order']);
  const products = listIn(order?.['product_items']).map((each) => record(each));
  const items = products.map((item) => ({
    product: textIn(item?.['product_retailer_id']) ?? '',
    quantity: Number(item?.['quantity'] ?? 1),
    price: item?.['item_price'] === undefined ? undefined : Number(item['item_price']),
    currency: textIn(item?.['currency']),
  }));
  const sums = new Map<string, number>();
  for (const { quantity, price = 0, currency } of items)
    if (currency !== undefined) sums.set(currency, (sums.get(currency) ?? 0) + quantity * price);
  return { items, totals: [...sums].map(([currency, total]) => ({ total, currency })), note: textIn(order?.['text']) };
};

export interface Advertisement {
  headline: string;
  body: string;
  url: string | undefined;
}

/** The advertisement or post from which the customer wrote. */
export const advertisementIn = (content: Message['content']): Advertisement | undefined => {
  const referral = record(content?.['referral']);
  if (!referral) return undefined;
  const url = textIn(referral['source_url']);
  return {
    headline: textIn(referral['headline']) ?? '',
    body: textIn(referral['body']) ?? '',
    url: url !== undefined && /^https?:\/\//.test(url) ? url : undefined,
  };
};

/** The product that the message is about. */
export const productIn = (content: Message['content']): string | undefined =>
  textIn(record(record(content?.['context'])?.['referred_product'])?.['product_retailer_id']);

/** Whether the cards are the customer's own number, which a message of ours requested. */
export const isOwnNumber = (content: Message['content']): boolean =>
  listIn(content?.['contacts']).some((card) => record(card)?.['origin'] === 'contact_request');
