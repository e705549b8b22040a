import { join } from 'node:path';
import { objectOf, parseJson, textOf } from '../json.ts';
import { type Platform, startPlatform } from './platform.ts';

/** The stand-in beside the product: our app there has the id and secret that the product reads; its shops are kept with the data. */
export const openPlatform = (secrets: ReadonlyMap<string, string>, dataDir: string): Promise<Platform> => {
  const app = [...secrets].find(([name]) => /storeplatform-?app/i.test(name))?.[1];
  const { id, key } = objectOf(parseJson(app ?? '{}'));
  return startPlatform({ clientId: textOf(id) ?? '', clientSecret: textOf(key) ?? '', file: join(dataDir, 'storeplatform.json') });
};
