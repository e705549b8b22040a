import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import { numberOf, objectOf, parseJson } from './json.ts';
import { type Provider, startProvider } from './provider/provider.ts';

/** Starts the provider simulator, on the port it had before if that is free: addresses that were stored stay good. */
export const openProvider = async (dataDir: string, log: (line: string) => void): Promise<Provider> => {
  const file = join(dataDir, 'provider-port.json');
  const before = existsSync(file) ? numberOf(objectOf(parseJson(readFileSync(file, 'utf8'))).port) : undefined;
  const provider = await (before === undefined
    ? startProvider({ dataDir, log })
    : startProvider({ dataDir, log, port: before }).catch(() => startProvider({ dataDir, log })));
  writeFileAtomically(file, JSON.stringify({ port: Number(new URL(provider.url).port) }));
  return provider;
};
