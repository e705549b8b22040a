import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SiteSpec } from '../../shared/contract/site.ts';

/** Which build of a site's files a page is of: the page names all files of its build by the hashes of their contents. */
export const buildOfPage = (page: string): string => createHash('sha256').update(page).digest('hex').slice(0, 12);

/** The build in a site's folder; undefined where it was not built. */
export const buildInFolder = (root: string, { folder }: Pick<SiteSpec, 'folder'>): string | undefined => {
  const page = join(root, folder, 'index.html');
  return existsSync(page) ? buildOfPage(readFileSync(page, 'utf8')) : undefined;
};
