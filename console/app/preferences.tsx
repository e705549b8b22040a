import { createContext, type JSX, type ReactNode, useContext, useEffect, useMemo } from 'react';
import { useStored } from '../data/forms.ts';
import { type Language, languageOf, type Locale, LocaleContext } from '../text/text.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Direction = 'auto' | 'ltr' | 'rtl';

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

/** What a user chose for this browser: language, direction, light or dark. Without a choice, what the browser says. */
export const PreferencesProvider = ({ children }: { children: ReactNode }): JSX.Element => {
  const [theme, setTheme] = useStored('switchboard.theme', 'system');
  const [chosen, setLanguage] = useStored('switchboard.language', '');
  const [direction, setDirection] = useStored('switchboard.direction', 'auto');
  const language = languageOf(chosen === '' ? navigator.language : chosen);
  const locale = useMemo((): Locale => {
    const isRtl = direction === 'rtl' || (direction === 'auto' && chosen === '' && /^(ar|fa|he|ur)\b/.test(navigator.language));
    const tag = navigator.languages.find((each) => each.startsWith(language)) ?? language;
    return { language, tag, direction: isRtl ? 'rtl' : 'ltr' };
  }, [language, direction, chosen]);
  useEffect(() => {
    const { documentElement } = document;
    documentElement.lang = language;
    documentElement.dir = locale.direction;
    if (theme === 'system') delete documentElement.dataset['theme'];
    else documentElement.dataset['theme'] = theme;
  }, [language, locale, theme]);
  const value = useMemo(
    (): Preferences => ({
      theme: theme as Theme,
      setTheme,
      language,
      setLanguage,
      direction: direction as Direction,
      setDirection,
    }),
    // the setters write to the same names whenever they are called
    // oxlint-disable-next-line react/exhaustive-deps
    [theme, language, direction],
  );
  return (
    <PreferencesContext value={value}>
      <LocaleContext value={locale}>{children}</LocaleContext>
    </PreferencesContext>
  );
};
