import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './data-folder.ts';
import { numberOf, objectOf, parseJson } from './json.ts';
import { type Provider, type ProviderOptions, startProvider } from './provider/provider.ts';

/** Starts the provider simulator, on the port it had before if that is free: addresses that were stored stay good. */
export const openProvider = async (options: Omit<ProviderOptions, 'port'>): Promise<Provider> => {
  const { dataDir } = options;
  const file = join(dataDir, 'provider-port.json');
  const before = existsSync(file) ? numberOf(objectOf(parseJson(readFileSync(file, 'utf8'))).port) : undefined;
  const provider = await (before === undefined
    ? startProvider(options)
    : startProvider({ ...options, port: before }).catch(() => startProvider(options)));
  writeFileAtomically(file, JSON.stringify({ port: Number(new URL(provider.url).port) }));
  return provider;
};
