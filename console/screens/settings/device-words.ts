import type { settingsText } from '../../text/settings.ts';
import type { TextOf } from '../../text/text.ts';

/** The API's `Chrome on Linux` in the reader's language. */
export const deviceWords = (text: Pick<TextOf<typeof settingsText>, 'someBrowser' | 'browserOn'>, device: string): string => {
  const [name = '', system] = device.split(' on ');
  const browser = name === 'A browser' ? text.someBrowser : name;
  return system === undefined ? browser : text.browserOn(browser, system);
};
