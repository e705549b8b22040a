import { expect, test } from 'vitest';
import { deviceWords } from '../../console/screens/settings/device-words.ts';
import { de } from '../../console/text/de/settings.ts';
import { deviceOf } from '../../functions/sessions/domain/session.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/156.0 Safari/537.36', 'Chrome unter Linux'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1', 'Safari unter iOS'],
  ['Mozilla/5.0 (X11; Linux x86_64) Other/1.0', 'Ein Browser unter Linux'],
  ['', 'Ein Browser'],
])('%j, as the API names it, in German: %s', (userAgent, words) => {
  expect(deviceWords(de, deviceOf(userAgent))).toBe(words);
});
