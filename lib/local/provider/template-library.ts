/** The provider's library of templates that are written already: a few of them. It belongs to no account. */
import * as z from 'zod';
import type { Answer } from './answer.ts';
import { type Refusal, refuseParameter } from './errors.ts';
import { type TemplateRequest, templateRequest } from './schemas.ts';

interface LibraryTemplate {
  id: string;
  name: string;
  language: string;
  category: string;
  topic: string;
  usecase: string;
  industry: string[];
  header?: string;
  body: string;
  body_params: string[];
  body_param_types: string[];
  buttons?: { type: string; text: string }[];
}

const inEnglish = { language: 'en_US', category: 'UTILITY', industry: ['E_COMMERCE'] };
const library: LibraryTemplate[] = [
  {
    ...inEnglish,
    id: '7138055039625658',
    name: 'delivery_update_1',
    topic: 'ORDER_MANAGEMENT',
    usecase: 'DELIVERY_UPDATE',
    header: 'Order update',
    body: 'Hi {{1}}, your order {{2}} is on its way and should arrive on {{3}}.',
    body_params: ['Ada', '#12345', 'Jan 1, 2027'],
    body_param_types: ['TEXT', 'TEXT', 'DATE'],
    buttons: [{ type: 'URL', text: 'Track the order' }],
  },
  {
    ...inEnglish,
    id: '7138055039625659',
    name: 'delivery_update_1',
    language: 'de',
    topic: 'ORDER_MANAGEMENT',
    usecase: 'DELIVERY_UPDATE',
    header: 'Neues zur Bestellung',
    body: 'Hallo {{1}}, die Bestellung {{2}} ist unterwegs und kommt am {{3}} an.',
    body_params: ['Ada', '#12345', '1. Januar 2027'],
    body_param_types: ['TEXT', 'TEXT', 'DATE'],
    buttons: [{ type: 'URL', text: 'Bestellung verfolgen' }],
  },
  {
    ...inEnglish,
    id: '7147013345418927',
    name: 'low_balance_warning_1',
    topic: 'PAYMENTS',
    usecase: 'LOW_BALANCE_WARNING',
    industry: ['FINANCIAL_SERVICES'],
    body: 'Hi {{1}}, the balance of your account ending in {{2}} is below {{3}} by now.',
    body_params: ['Ada', '1234', '$75.00'],
    body_param_types: ['TEXT', 'TEXT', 'AMOUNT'],
    buttons: [
      { type: 'URL', text: 'Make a deposit' },
      { type: 'PHONE_NUMBER', text: 'Call us' },
    ],
  },
  {
    ...inEnglish,
    id: '7147013345418928',
    name: 'payment_received_1',
    topic: 'PAYMENTS',
    usecase: 'PAYMENT_CONFIRMATION',
    body: 'Your payment of {{1}} has arrived. Thank you.',
    body_params: ['$75.00'],
    body_param_types: ['AMOUNT'],
  },
];

/** `GET /message_template_library`: narrowed by each of its filters. */
export function listLibrary(query: URLSearchParams): Answer {
  const words = query.get('search')?.toLowerCase() ?? '';
  const is = (key: string, value: string | string[]): boolean => {
    const wanted = query.get(key)?.toUpperCase();
    return wanted === undefined || [value].flat().some((each) => each.toUpperCase() === wanted);
  };
  const found = library.filter(
    (each) =>
      `${each.name} ${each.header ?? ''} ${each.body}`.toLowerCase().includes(words) &&
      is('name', each.name) &&
      is('language', each.language) &&
      is('topic', each.topic) &&
      is('usecase', each.usecase) &&
      is('industry', each.industry),
  );
  const limit = Math.max(1, Number(query.get('limit') ?? 25) || 25);
  return { status: 200, body: { data: found.slice(0, limit), ...(found.length > limit && { paging: { next: 'more' } }) } };
}

const fromLibrary = z.looseObject({
  name: z.string(),
  language: z.string(),
  category: z.string().toUpperCase(),
  library_template_name: z.string(),
  library_template_button_inputs: z
    .array(
      z.looseObject({
        type: z.string().toUpperCase(),
        url: z.looseObject({ base_url: z.string(), url_suffix_example: z.string().optional() }).optional(),
        phone_number: z.string().optional(),
      }),
    )
    .default([]),
});

/** What a request from the library creates, as if it had been written out; undefined: the request is of its own words. */
export function writtenFromLibrary(body: unknown): { request: TemplateRequest } | { refused: Refusal } | undefined {
  if (typeof body !== 'object' || body === null || !('library_template_name' in body)) return undefined;
  const { data } = fromLibrary.safeParse(body);
  if (!data) return refused('Invalid parameters for a template of the library.');
  if ('components' in data) return refused('Param components cannot be used with library_template_name.');
  const found = library.find(({ name, language }) => name === data.library_template_name && language === data.language);
  if (!found) return refused(`Library template ${data.library_template_name} does not exist in ${data.language}.`);
  if (found.category !== data.category) return refused(`Library template ${found.name} is of the category ${found.category}.`);
  const inputs = data.library_template_button_inputs;
  const buttons = found.buttons ?? [];
  if (inputs.map(({ type }) => type).join() !== buttons.map(({ type }) => type).join())
    return refused('Param library_template_button_inputs does not match the buttons of the library template.');
  const filled = buttons.map((button, index) => {
    const { url, phone_number } = inputs[index] ?? {};
    const example = url?.url_suffix_example;
    return { ...button, url: url?.base_url, phone_number, ...(example === undefined ? {} : { example: [example] }) };
  });
  const request = templateRequest.parse({
    name: data.name,
    language: data.language,
    category: data.category,
    components: [
      ...(found.header === undefined ? [] : [{ type: 'HEADER', format: 'TEXT', text: found.header }]),
      { type: 'BODY', text: found.body, example: { body_text: [found.body_params] } },
      ...(filled.length > 0 ? [{ type: 'BUTTONS', buttons: filled }] : []),
    ],
  });
  return { request };
}

const refused = (message: string) => ({ refused: refuseParameter(message) });
