import type { Catalogue } from '../text/text.ts';
import { languageNow } from './preferences.tsx';

/** Loads a part of the program together with its texts: it is shown once, and whole. */
export const withTexts =
  <T>(texts: readonly Catalogue<unknown>[], load: () => Promise<T>) =>
  async (): Promise<T> => {
    const [loaded] = await Promise.all([load(), ...texts.map((each) => each.load(languageNow()))]);
    return loaded;
  };
