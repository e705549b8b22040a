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

/** Angle brackets would be read as HTML, stars as emphasis. */
const plain = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('*', '\\*');

/** Every error code with what its caller does about it, as a chapter of the reference. */
export const errorTable = (): string => {
  const entries = Object.entries(problems).toSorted(([, a], [, b]) => a.status - b.status);
  const chapters = [...Map.groupBy(entries, ([, { status }]) => status)].map(([status, listed]) => {
    const lines = listed.map(([code, { title, remedy }]) => `- \`${code}\` ${plain(title)} *${plain(remedy)}*`);
    return `**${status}**\n\n${lines.join('\n')}`;
  });
  return `# Errors\n\nThe code of an error, what it means, and what to do. In openapi.json the \`x-error-codes\` of an operation are all that it can answer, by status.\n\n${chapters.join('\n\n')}`;
};
