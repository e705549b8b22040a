import { relative } from 'node:path';
import type { Plugin } from 'vite';
import type { Edit } from './attack.ts';

/** A file's text with the edits that are of it. An edit whose text is not there exactly once is an error: the source went on without it. */
export const withEdits = (path: string, source: string, edits: readonly Edit[]): string =>
  edits.reduce((text, { in: file, replace, by }) => {
    if (file !== path) return text;
    const times = text.split(replace).length - 1;
    if (times !== 1) throw new Error(`A mend names a text that occurs ${times} times in ${path}; it must be there once: ${replace}`);
    return text.replace(replace, () => by);
  }, source);

/** The product without a mend, as MUTATION says it: a JSON list of edits. Without MUTATION the source is as it is. */
export const mutatedSource = (root: string, mutation = process.env['MUTATION']): Plugin[] => {
  if (!mutation) return [];
  const edits = JSON.parse(mutation) as readonly Edit[];
  return [
    {
      name: 'mutated-source',
      enforce: 'pre',
      transform: (source, id) => {
        const path = relative(root, id.split('?')[0] ?? id);
        return edits.some((edit) => edit.in === path) ? { code: withEdits(path, source, edits), map: null } : undefined;
      },
    },
  ];
};
