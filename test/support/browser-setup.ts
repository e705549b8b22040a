import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { ensureConsole } from '../../lib/console/ensure.ts';
import { startProduct } from './product.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The data folder of the product that all files of the browser tests share. */
    productFolder: string;
  }
}

/** Once before the browser tests: the pages as their sources are, and one product for all files, which start and fill it each for seconds otherwise. */
export default async ({ provide }: TestProject): Promise<() => Promise<void>> => {
  const [product] = await Promise.all([startProduct({ enforcesWindow: true }), ensureConsole(join(import.meta.dirname, '../..'))]);
  provide('productFolder', product.folder);
  return () => product.stop();
};
