import { createContext, useContext } from 'react';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** What a text is in a catalogue: words, or words with values in them. */
type Text = string | ((...values: never[]) => string);

/** The same entries in words of another language: a text that is missing does not compile. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : T[K] extends (...values: infer V) => string ? (...values: V) => string : never;
};

/** The texts of one area of the console, in every language. */
export type Catalogue<T> = Readonly<Record<Language, T>>;

export const catalogue = <const T extends Readonly<Record<string, Text>>>(en: T, de: Translated<T>): Catalogue<Translated<T>> => ({
  en: en as unknown as Translated<T>,
  de,
});

/** The language's own word for a count: `plural('en', n, { one: 'message', other: 'messages' })`. */
export const plural = (language: Language, count: number, forms: { one: string; other: string }): string =>
  new Intl.PluralRules(language).select(count) === 'one' ? forms.one : forms.other;

export interface Locale {
  language: Language;
  /** For numbers and times: the browser's own where it is set to the same language. */
  tag: string;
  direction: 'ltr' | 'rtl';
}

export const LocaleContext = createContext<Locale>({ language: 'en', tag: 'en', direction: 'ltr' });

export const useLocale = (): Locale => useContext(LocaleContext);

/** The texts of an area in the reader's language. */
export const useText = <T>(texts: Catalogue<T>): T => texts[useLocale().language];

export const languageOf = (wanted: string): Language => languages.find((each) => wanted.toLowerCase().startsWith(each)) ?? 'en';
