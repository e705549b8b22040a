import './fake-browser.ts';
import { expect, test } from 'vitest';
import {
  type InboxFilters,
  placeOfView,
  plainFilters,
  savedViewsIn,
  savedViewsName,
  toggleSavedView,
} from '../../console/data/saved-views.ts';
import { StoredTexts } from '../../console/data/stored.ts';

const stored = new StoredTexts('switchboard.1.5.');
const saved = (): InboxFilters[] => savedViewsIn(stored.get(savedViewsName));

test('a view is saved once, is found again however it is written, and is taken out by the same press', () => {
  const kims = plainFilters({ view: 'open', user: 7, q: 'rye', in: 'texts' });
  expect(kims).toEqual({ user: 7, q: 'rye', in: 'texts' });
  expect(plainFilters({ number: 2, waits: true, view: undefined, user: undefined, q: undefined, in: undefined })).toEqual({
    number: 2,
    waits: true,
  });
  toggleSavedView(stored, kims);
  const before = toggleSavedView(stored, plainFilters({ view: 'closed', user: undefined, q: '', in: 'texts' }));
  expect(saved()).toEqual([{ user: 7, q: 'rye', in: 'texts' }, { view: 'closed' }]);
  expect(placeOfView(saved(), plainFilters({ q: 'rye', in: 'texts', user: 7, view: undefined }))).toBe(0);
  expect(placeOfView(saved(), plainFilters({ q: 'rye', in: undefined, user: 7, view: undefined }))).toBe(-1);
  stored.set(savedViewsName, before);
  expect(saved()).toEqual([kims]);
  toggleSavedView(stored, kims);
  expect(stored.get(savedViewsName)).toBe('');
});

test.each(['', 'no json', '{}', '[null, 1, "x", {}, { "view": "open" }, { "user": "7", "number": "2", "waits": 1 }]'])(
  '%s has no saved view',
  (written) => {
    expect(savedViewsIn(written)).toEqual([]);
  },
);
