import { relative } from 'node:path';
import type { Plugin } from 'vite';

/** One place of the product's source, and what stands there when it is taken out. `replace` occurs in the file exactly once. */
export interface Edit {
  in: string;
  replace: string;
  by: string;
}

/** A file's text with the edits that are of it. An edit whose text is not there exactly once is an error: the source went on without it. */
export const withEdits = (path: string, source: string, edits: readonly Edit[]): string =>
  edits.reduce((text, { in: file, replace, by }) => {
    if (file !== path) return text;
    const times = text.split(replace).length - 1;
    if (times !== 1) throw new Error(`An edit names a text that occurs ${times} times in ${path}; it must be there once: ${replace}`);
    return text.replace(replace, () => by);
  }, source);

/** The product's source with the edits that there are at the moment. `reach` is called for each file that is loaded with some. */
export const editedSource = (root: string, editsNow: () => readonly Edit[], reach: (path: string) => void): Plugin => ({
  name: 'edited-source',
  enforce: 'pre',
  transform: (source, id) => {
    const path = relative(root, id.split('?')[0] ?? id);
    const edits = editsNow();
    if (!edits.some((edit) => edit.in === path)) return undefined;
    reach(path);
    return { code: withEdits(path, source, edits), map: null };
  },
});
