import type { TemplateParameters } from '../../templates/contract/parameters.ts';
import type { StoredMedia } from '../../media/contract/stored.ts';
import type { ParameterMap, StoredCampaign } from '../contract/stored.ts';

/** What a recipient's contact says to a placeholder; undefined: nothing. */
export type FieldReader = (field: string) => string | undefined;

export interface GivenParameters {
  values: ParameterMap;
  match: ParameterMap;
  /** Of one recipient; before everything else. */
  data?: ParameterMap | undefined;
  mediaUrl?: string | undefined;
  media?: StoredMedia | undefined;
  location?: StoredCampaign['location'];
}

type Component = { type: string; sub_type?: string; index?: string; parameters: ({ type: string } & Record<string, unknown>)[] };

/**
 * The components of a recipient's message: a placeholder's own value, else the contact's field, else the value for all (A39). `missing`
 * lists the places without a value.
 */
export const buildComponents = (
  needs: TemplateParameters,
  given: GivenParameters,
  field: FieldReader,
): { components: Component[] } | { missing: string[] } => {
  const missing: string[] = [];
  const value = (part: keyof ParameterMap, name: string, place: number): string => {
    const found = valueOf(given, part, name, place, field);
    if (found === undefined) missing.push(`${part}.${name}`);
    return found ?? '';
  };
  const texts = (part: 'body' | 'header', names: readonly string[]) =>
    names.map((name, index) => ({
      type: 'text',
      text: value(part, name, index),
      ...(/^\d+$/.test(name) ? {} : { parameter_name: name }),
    }));
  const file = needs.media && headerFileOf(needs.media, given);
  if (needs.media && !file) missing.push('header.media');
  const components: Component[] = [
    ...(file ? [{ type: 'header', parameters: [file] }] : []),
    ...(needs.header.length > 0 ? [{ type: 'header', parameters: texts('header', needs.header) }] : []),
    ...(needs.body.length > 0 ? [{ type: 'body', parameters: texts('body', needs.body) }] : []),
    ...needs.buttons.map(({ index, kind }) => ({
      type: 'button',
      sub_type: kind,
      index: String(index),
      parameters: [
        kind === 'copy_code'
          ? { type: 'coupon_code', coupon_code: value('buttons', String(index), index) }
          : { type: 'text', text: value('buttons', String(index), index) },
      ],
    })),
  ];
  return missing.length > 0 ? { missing } : { components };
};

/** Places of the template that nothing can fill, whatever the contact is (A39). */
export const uncoveredPlaceholders = (
  needs: TemplateParameters,
  { values, match, data, mediaUrl, media, location }: GivenParameters,
): string[] => {
  const covers = (part: keyof ParameterMap, name: string, place: number): boolean =>
    [values, match, data].some((map) => valueByName(map?.[part], name, place) !== undefined);
  return [
    ...needs.body.filter((name, place) => !covers('body', name, place)).map((name) => `body.${name}`),
    ...needs.header.filter((name, place) => !covers('header', name, place)).map((name) => `header.${name}`),
    ...needs.buttons.filter(({ index }) => !covers('buttons', String(index), index)).map(({ index }) => `buttons.${index}`),
    ...(needs.media && !headerFileOf(needs.media, { values, match, mediaUrl, media, location }) ? ['header.media'] : []),
  ];
};

/** Contact fields that parammatch may name. */
export const isContactField = (field: string): boolean =>
  ['name', 'username', 'phone', 'email', 'city', 'country', 'company'].includes(field) ||
  /^custom\.[A-Za-z][A-Za-z0-9_ ]{0,49}$/.test(field);

function valueOf({ values, match, data }: GivenParameters, part: keyof ParameterMap, name: string, place: number, field: FieldReader) {
  const own = singleLine(valueByName(data?.[part], name, place));
  if (own !== undefined) return own;
  const wanted = valueByName(match[part], name, place);
  return (wanted === undefined ? undefined : singleLine(field(wanted))) ?? singleLine(valueByName(values[part], name, place));
}

/** By name, or by number in the order of the text. */
const valueByName = (map: Readonly<Record<string, string>> | undefined, name: string, place: number): string | undefined =>
  map === undefined ? undefined : (map[name] ?? (/^\d+$/.test(name) ? undefined : map[String(place + 1)]));

/** The provider takes no line breaks, tabs or runs of blanks in a parameter; nothing but blanks is nothing. */
const singleLine = (value: string | undefined): string | undefined => value?.replace(/\s+/g, ' ').trim() || undefined;

function headerFileOf(
  kind: NonNullable<TemplateParameters['media']>,
  { mediaUrl, media, location }: GivenParameters,
): { type: string } | undefined {
  if (kind === 'location') return location && ({ type: kind, location } as { type: string });
  if (media) {
    if (media.kind !== kind) return undefined;
    const named = kind === 'document' && media.filename ? { filename: media.filename } : {};
    return { type: kind, [kind]: { id: media.providerId ?? 'to-be-uploaded', ...named } } as { type: string };
  }
  return mediaUrl === undefined ? undefined : ({ type: kind, [kind]: { link: mediaUrl } } as { type: string });
}
