import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { problems } from '../../shared/contract/problems.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'guides');

/** The guides, in the order of their file names, as a chapter of the reference. */
export const guides = (): string =>
  `# Guides\n\n${readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .toSorted()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
    .join('\n\n')}`;

/** Every error code with what its caller does about it, as a chapter of the reference. */
export const errorTable = (): string => {
  const rows = Object.entries(problems).map(([code, { status, title, remedy }]) => `| \`${code}\` | ${status} | ${title} | ${remedy} |`);
  return `# Errors\n\n| code | status | what it says | what to do |\n|---|---|---|---|\n${rows.join('\n')}`;
};
