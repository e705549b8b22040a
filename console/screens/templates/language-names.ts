import { isolated } from '../../text/text.ts';

/** Languages of templates that are offered; the provider has more, which the API takes by their codes. */
export const languages: readonly string[] =
  'en en_US en_GB de ar bg cs da el es es_MX fi fr he hi hr hu id it ja ko nb nl pl pt_BR pt_PT ro ru sk sv th tr uk vi zh_CN'.split(' ');

/** A language of templates in words of the reader: `en_US` is American English. What is no code stays as it is. */
export const languageName = (tag: string, code: string): string => {
  try {
    return new Intl.DisplayNames(tag, { type: 'language' }).of(code.replace('_', '-')) ?? code;
  } catch (error) {
    if (error instanceof RangeError) return code;
    throw error;
  }
};

/** Languages to choose from, in the order of their names: `Deutsch (de)`. */
export const languageChoices = (tag: string, codes: Iterable<string>): (readonly [code: string, label: string])[] =>
  [...codes]
    .map((code) => [code, languageName(tag, code)] as const)
    .toSorted(([, one], [, other]) => one.localeCompare(other, tag))
    .map(([code, name]) => [code, name === code ? code : `${name} (${isolated(code)})`] as const);
