import type { JSX } from 'react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { I18nProvider } from 'react-aria-components';
import { queryClient } from '../data/queries.ts';
import { Toasts } from '../components/toasts.tsx';
import { useFocusKeeper } from './focus-keeper.ts';
import { PreferencesProvider } from './preferences.tsx';
import { router } from './router.tsx';
import { directionOf, useLocale } from '../text/text.ts';

export const App = (): JSX.Element => (
  <PreferencesProvider>
    <Localized />
  </PreferencesProvider>
);

const Localized = (): JSX.Element => {
  useFocusKeeper();
  return (
    // the library takes direction from its locale: one that is written in the direction that was chosen
    <I18nProvider locale={useAriaLocale()}>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </I18nProvider>
  );
};

const useAriaLocale = (): string => {
  const { direction, language, tag } = useLocale();
  return direction === directionOf(language) ? tag : direction === 'rtl' ? 'ar-AE' : 'en-US';
};
