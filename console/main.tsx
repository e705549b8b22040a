import { createRoot } from 'react-dom/client';
import './styles/index.css';
import { App } from './app/app.tsx';
import { languageNow } from './app/preferences.tsx';
import { isLaptop } from './data/session.ts';
import { problemsText } from './text/problems.ts';
import { shellText } from './text/shell.ts';

/** Nothing is shown before the texts that every page has, in one language. */
const show = async (place: HTMLElement): Promise<void> => {
  const language = languageNow();
  await Promise.all([shellText, problemsText].map((texts) => texts.load(language)));
  createRoot(place, { onRecoverableError }).render(<App />);
  // nothing of it is in what is deployed; without an answer the product is stopped
  if (isLaptop) import('./local/local-clock.ts').then(({ followLaptopClock }) => followLaptopClock(), reportError);
};

/** What broke a rendering is what the browser names, and not that React did it again in one go. */
const onRecoverableError = (error: unknown): void => reportError(error instanceof Error && error.cause ? error.cause : error);

const place = document.getElementById('app');
if (place)
  show(place).catch(() => {
    place.lang = 'en';
    place.textContent = 'Switchboard did not load. Load the page again.';
  });
