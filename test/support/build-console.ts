import { join } from 'node:path';
import { ensureConsole } from '../../lib/console/ensure.ts';

/** Once before the browser tests: the pages as their sources are. */
export default async (): Promise<void> => {
  await ensureConsole(join(import.meta.dirname, '../..'));
};
