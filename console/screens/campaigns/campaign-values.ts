import type { Campaign, Contact } from '../../../client/client.ts';
import { type Placeholder, placeholdersOf, type TemplateParts, type Values } from '../../components/template-parts.ts';
import { toFieldTime } from '../../data/field-time.ts';

/** What stands in a placeholder: a field of each contact, and this text where the contact has none; or the text alone. */
export interface Filling {
  field: string;
  text: string;
  /** The file above the text, uploaded: in place of its link. */
  file?: { id: string; name: string };
}
export type Fillings = Readonly<Record<string, Filling>>;

type Part = 'body' | 'header' | 'buttons';
type Parts = Partial<Record<Part, Record<string, string>>>;

const placeOf = ({ id }: Placeholder): [Part, string] | undefined => {
  const [part, name] = id.split(':');
  if (name === undefined) return undefined;
  return [part === 'button' ? 'buttons' : part === 'header' ? 'header' : 'body', name];
};

/** Whether a form cannot fill this template for many: cards, products and places are the API's alone. */
export const isBeyondForm = ({ cards }: TemplateParts, wanted: readonly Placeholder[], hasPlace: boolean): boolean =>
  cards.length > 0 || hasPlace || wanted.some(({ part }) => part === 'products');

/** What is filled in, as the API takes it. */
export const parametersOf = (wanted: readonly Placeholder[], fillings: Fillings) => {
  const [values, fields]: [Parts, Parts] = [{}, {}];
  const put = (into: Parts, place: [Part, string], value: string): void => {
    if (value !== '') into[place[0]] = { ...into[place[0]], [place[1]]: value };
  };
  for (const placeholder of wanted) {
    const place = placeOf(placeholder);
    const filling = fillings[placeholder.id];
    if (!place || !filling) continue;
    put(values, place, filling.text.trim());
    put(fields, place, filling.field);
  }
  const link = fillings['media']?.text.trim() ?? '';
  const file = fillings['media']?.file;
  const until = fillings['offer']?.text ?? '';
  return {
    paramvalues: values,
    parammatch: fields,
    ...(file ? { media_id: file.id } : link === '' ? {} : { media_url: link }),
    ...(Number.isNaN(Date.parse(until)) ? {} : { offer_ends_at: new Date(until).toISOString() }),
  };
};

/** Whether each placeholder has a field, a text or a file. */
export const isFilled = (parts: TemplateParts, fillings: Fillings): boolean =>
  placeholdersOf(parts).every(({ id }) => {
    const { field, text, file } = fillings[id] ?? { field: '', text: '' };
    return field !== '' || text.trim() !== '' || file !== undefined;
  });

/** What a preview shows: the values of one contact where a field stands, else the text. A value is sent as one line; nothing but blanks is none. */
export const shownValues = (fillings: Fillings, contact: Readonly<Record<string, string>>): Values =>
  Object.fromEntries(Object.entries(fillings).map(([id, { field, text }]) => [id, oneLine(contact[field] ?? '') || oneLine(text)]));

const oneLine = (value: string): string => value.replace(/\s+/g, ' ').trim();

/** The fields of a contact as a campaign reads them: what a placeholder of each shows. */
export const fieldsOf = (contact: Pick<Contact, (typeof plainFields)[number] | 'country' | 'custom'>): Record<string, string> => ({
  ...Object.fromEntries(plainFields.map((field) => [field, contact[field] ?? ''])),
  country: contact.country ?? '',
  ...Object.fromEntries(Object.entries(contact.custom).map(([key, value]) => [`custom.${key}`, value === null ? '' : String(value)])),
});

const plainFields = ['name', 'phone', 'email', 'city', 'company', 'username'] as const;

/** What a campaign filled in, as the form has it: the reverse of parametersOf. */
export const fillingsOf = ({ paramvalues, parammatch, media_url, offer_ends_at }: GivenValues): Fillings => {
  const fillings: Record<string, Filling> = {};
  const names = { body: 'body', header: 'header', buttons: 'button' } as const;
  for (const part of ['body', 'header', 'buttons'] as const)
    for (const name of new Set([...Object.keys(paramvalues[part] ?? {}), ...Object.keys(parammatch[part] ?? {})]))
      fillings[`${names[part]}:${name}`] = { field: parammatch[part]?.[name] ?? '', text: paramvalues[part]?.[name] ?? '' };
  if (media_url !== null) fillings['media'] = { field: '', text: media_url };
  if (offer_ends_at !== null) fillings['offer'] = { field: '', text: toFieldTime(Date.parse(offer_ends_at)) };
  return fillings;
};

type GivenValues = Pick<Campaign, 'paramvalues' | 'parammatch' | 'media_url' | 'offer_ends_at'>;
