import { useEffect, useState } from 'react';
import { changesOf, isEmpty } from '../../data/changes.ts';
import { useSession } from '../../data/session.ts';
import type { TemplateDraft } from './template-draft.ts';

/**
 * A draft that survives a reload, beginning with what was read. Leaving the page by one of its links gives it up: that was confirmed.
 *
 * @param name under which the browser stores it
 */
export const useDraft = (name: string, read: TemplateDraft) => {
  const { stored } = useSession();
  const place = `template-draft.${name}`;
  const [edits, setEdits] = useState<Partial<TemplateDraft>>(() => editsIn(stored.get(place)));
  const changed = changesOf(read, edits);
  const asText = isEmpty(changed) ? '' : JSON.stringify(changed);
  useEffect(() => stored.set(place, asText), [stored, place, asText]);
  useEffect(() => () => stored.set(place, ''), [stored, place]);
  return {
    draft: { ...read, ...edits },
    isChanged: asText !== '',
    change: (edit: Partial<TemplateDraft>): void => setEdits((before) => ({ ...before, ...edit })),
  };
};

const editsIn = (text: string): Partial<TemplateDraft> => (text === '' ? {} : (JSON.parse(text) as Partial<TemplateDraft>));
