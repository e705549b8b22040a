import { createContext, type JSX, type ReactNode, useContext, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useStored } from '../data/stored.ts';
import { ofBrowser } from '../data/signed-in.ts';
import { directionOf, type Language, languageOf, loadShown, type Locale, LocaleContext, tagOf } from '../text/text.ts';

const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];
const directions = ['auto', 'ltr', 'rtl'] as const;
export type Direction = (typeof directions)[number];

interface Preferences {
  theme: Theme;
  setTheme: (theme: Theme) => void;
  language: Language;
  setLanguage: (language: Language) => void;
  direction: Direction;
  setDirection: (direction: Direction) => void;
}

const PreferencesContext = createContext<Preferences | undefined>(undefined);

export const usePreferences = (): Preferences => {
  const preferences = useContext(PreferencesContext);
  if (!preferences) throw new Error('Preferences are read below PreferencesProvider.');
  return preferences;
};

const languageFor = (chosen: string): Language => languageOf(chosen === '' ? navigator.language : chosen);

/** What was chosen for this browser, or what it says itself. */
export const languageNow = (): Language => languageFor(ofBrowser.get('language'));

/** A language is shown once its texts are there; until then, and where they do not come, the former one. */
const useLoadedLanguage = (wanted: Language): Language => {
  const [language, setLanguage] = useState(wanted);
  useEffect(() => {
    let isWanted = true;
    loadShown(wanted).then(
      () => isWanted && setLanguage(wanted),
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [wanted]);
  return language;
};

/** What a user chose for this browser: language, direction, light or dark. Without a choice, what the browser says. */
export const PreferencesProvider = ({ children }: { children: ReactNode }): JSX.Element => {
  const [storedTheme, setTheme] = useStored(ofBrowser, 'theme');
  const [chosen, setLanguage] = useStored(ofBrowser, 'language');
  const [storedDirection, setDirection] = useStored(ofBrowser, 'direction');
  const theme = themes.find((each) => each === storedTheme) ?? 'system';
  const direction = directions.find((each) => each === storedDirection) ?? 'auto';
  const language = useLoadedLanguage(languageFor(chosen));
  const locale = useMemo(
    (): Locale => ({ language, tag: tagOf(language), direction: direction === 'auto' ? directionOf(language) : direction }),
    [language, direction],
  );
  // before it is painted: no frame shows new words in the former direction, and what reads the page aloud knows their language
  useLayoutEffect(() => {
    const { documentElement } = document;
    documentElement.lang = language;
    documentElement.dir = locale.direction;
    if (theme === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = theme;
  }, [language, locale, theme]);
  const value = useMemo(
    (): Preferences => ({ theme, setTheme, language, setLanguage, direction, setDirection }),
    [theme, setTheme, language, setLanguage, direction, setDirection],
  );
  return (
    <PreferencesContext value={value}>
      <LocaleContext value={locale}>{children}</LocaleContext>
    </PreferencesContext>
  );
};
