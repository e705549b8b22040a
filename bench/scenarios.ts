import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Scenario } from './scenario.ts';

/** Every file of bench/scenarios, by name: adding a scenario is adding its file. */
export const loadScenarios = async (): Promise<Scenario[]> => {
  const folder = join(import.meta.dirname, 'scenarios');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .toSorted();
  return Promise.all(
    files.map(
      async (name) => ((await import(/* @vite-ignore */ pathToFileURL(join(folder, name)).href)) as { scenario: Scenario }).scenario,
    ),
  );
};
