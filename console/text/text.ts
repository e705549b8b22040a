import { createContext, use, useContext } from 'react';

export const languages = ['en', 'de', 'ar'] as const;
export type Language = (typeof languages)[number];

/** Each in its own words, for who looks for it where another one is shown. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', de: 'Deutsch', ar: 'العربية' };

/** What a text is in a catalogue: words, or words with values in them. */
type Text = string | ((...values: never[]) => string);

/** The same entries in words of another language: a text that is missing does not compile. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : T[K] extends (...values: infer V) => string ? (...values: V) => string : never;
};

/** The texts of one area of the console. They are loaded in the languages that are shown, and in no other. */
export interface Catalogue<T> {
  /** One promise a language, which says by its own fields that it has come: React reads it without waiting then. */
  load: (language: Language) => Promise<T>;
}
export type TextOf<C> = C extends Catalogue<infer T> ? T : never;

/** The catalogues of which texts are shown, or were. */
const shown = new Set<Catalogue<unknown>>();

/** Loads everything that is shown in another language. */
export const loadShown = (language: Language): Promise<unknown> => Promise.all([...shown].map(({ load }) => load(language)));

export const catalogue = <const T extends Readonly<Record<string, Text>>>(
  /** Modules with the texts of a language under its name. */
  sources: { en: () => Promise<{ en: T }> } & { [L in Exclude<Language, 'en'>]: () => Promise<Record<L, Translated<T>>> },
): Catalogue<Translated<T>> => {
  const loading: Partial<Record<Language, Promise<Translated<T>>>> = {};
  const read = async (language: Language): Promise<Translated<T>> => {
    const module: Partial<Record<Language, unknown>> = await sources[language]();
    return module[language] as Translated<T>;
  };
  const begin = (language: Language): Promise<Translated<T>> => {
    const reading = read(language);
    reading.then(
      // as React documents it for what is read by `use`: https://react.dev/reference/react/use
      (value) => Object.assign(reading, { status: 'fulfilled', value }),
      // what did not come is tried again
      () => delete loading[language],
    );
    return reading;
  };
  const self: Catalogue<Translated<T>> = {
    load: (language) => {
      shown.add(self);
      return (loading[language] ??= begin(language));
    },
  };
  return self;
};

/** The forms that a language has for a count: each language its own, by CLDR. */
interface CountForms {
  en: Readonly<Record<'one' | 'other', string>>;
  de: Readonly<Record<'one' | 'other', string>>;
  ar: Readonly<Record<Intl.LDMLPluralRule, string>>;
}

/** The language's own word for a count: `plural('en', n, { one: 'message', other: 'messages' })`. */
export const plural = <L extends Language>(language: L, count: number, forms: CountForms[L]): string => {
  const words: Readonly<Partial<Record<Intl.LDMLPluralRule, string>>> = forms;
  return words[new Intl.PluralRules(language).select(count)] ?? forms.other;
};

/** The languages of the console that are written from right to left. */
const fromRight: readonly Language[] = ['ar'];
export const directionOf = (language: Language): 'ltr' | 'rtl' => (fromRight.includes(language) ? 'rtl' : 'ltr');

/** For numbers and times: the browser's own where it is set to the same language, with its region's digits. */
export const tagOf = (language: Language): string => navigator.languages.find((each) => languageIn(each) === language) ?? language;

/** A number within a text, in the digits that the reader's numbers and times have: Egypt writes ٣, Morocco 3. */
export const inDigits = (language: Language, count: number): string => new Intl.NumberFormat(tagOf(language)).format(count);

/** A value within a text that is read from right to left: a name, a phone or Latin words keep their order, and move nothing around them. */
export const isolated = (value: string): string => `\u2068${value}\u2069`;

export interface Locale {
  language: Language;
  /** For numbers and times. */
  tag: string;
  direction: 'ltr' | 'rtl';
}

export const LocaleContext = createContext<Locale>({ language: 'en', tag: 'en', direction: 'ltr' });

export const useLocale = (): Locale => useContext(LocaleContext);

/**
 * The texts of an area in the reader's language. Where they were not loaded with the component, it waits for them as for a part of the program.
 * `use` is called although they are there: React plays a component that waited again, and needs the same calls as before.
 */
export const useText = <T>(texts: Catalogue<T>): T => {
  const { language } = useLocale();
  return use(texts.load(language));
};

const languageIn = (tag: string): Language | undefined => languages.find((each) => tag.toLowerCase().split(/[-_]/)[0] === each);

export const languageOf = (wanted: string): Language => languageIn(wanted) ?? 'en';
