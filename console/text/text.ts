import { createContext, use, useContext } from 'react';

export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** What a text is in a catalogue: words, or words with values in them. */
type Text = string | ((...values: never[]) => string);

/** The same entries in words of another language: a text that is missing does not compile. */
export type Translated<T> = {
  readonly [K in keyof T]: T[K] extends string ? string : T[K] extends (...values: infer V) => string ? (...values: V) => string : never;
};

/** The texts of one area of the console. They are loaded in the languages that are shown, and in no other. */
export interface Catalogue<T> {
  load: (language: Language) => Promise<T>;
  /** The texts, once they are loaded. */
  loaded: (language: Language) => T | undefined;
}
export type TextOf<C> = C extends Catalogue<infer T> ? T : never;

/** The catalogues of which texts are shown, or were. */
const shown = new Set<Catalogue<unknown>>();

/** Loads everything that is shown in another language. */
export const loadShown = (language: Language): Promise<unknown> => Promise.all([...shown].map(({ load }) => load(language)));

export const catalogue = <const T extends Readonly<Record<string, Text>>>(sources: {
  en: () => Promise<T>;
  de: () => Promise<Translated<T>>;
}): Catalogue<Translated<T>> => {
  const texts: Partial<Record<Language, Translated<T>>> = {};
  const loading: Partial<Record<Language, Promise<Translated<T>>>> = {};
  const read = async (language: Language): Promise<Translated<T>> => {
    try {
      return (texts[language] = language === 'en' ? ((await sources.en()) as unknown as Translated<T>) : await sources.de());
    } finally {
      // what did not come is tried again
      delete loading[language];
    }
  };
  const self: Catalogue<Translated<T>> = {
    load: (language) => {
      shown.add(self);
      const there = texts[language];
      return there ? Promise.resolve(there) : (loading[language] ??= read(language));
    },
    loaded: (language) => texts[language],
  };
  return self;
};

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

/** The texts of an area in the reader's language. Where they were not loaded with the component, it waits for them as for a part of the program. */
export const useText = <T>(texts: Catalogue<T>): T => {
  const { language } = useLocale();
  return texts.loaded(language) ?? use(texts.load(language));
};

export const languageOf = (wanted: string): Language => languages.find((each) => wanted.toLowerCase().startsWith(each)) ?? 'en';
