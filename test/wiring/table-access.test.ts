import { describe, expect, test } from 'vitest';
import { placeOf, type SourceFile, sourceFiles } from './imports.ts';

const functions = sourceFiles('functions');
const isStore = ({ path }: SourceFile): boolean => placeOf(path)?.role === 'store';

/** Lines that match, as `file:line`. */
const linesWith = (files: readonly SourceFile[], pattern: RegExp): string[] =>
  files.flatMap(({ path, text }) => text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}`] : [])));

/**
 * Files that are still in the old form: lists of parts without names, and transactions of account that span several aggregates. None may
 * be added.
 */
const oldLists = ['account/service/credentials.ts', 'account/service/verification-profiles.ts'];
const transactionsOutsideStores = [
  'credentials',
  'machine-tokens',
  'numbers',
  'provider-updates',
  'tokens',
  'users',
  'verification-profiles',
];
const isOldList = ({ path }: SourceFile): boolean => oldLists.some((each) => path === `functions/${each}`);
const mayWrite = ({ path }: SourceFile): boolean =>
  transactionsOutsideStores.some((name) => path === `functions/account/service/${name}.ts`) ||
  // writes the rows of all projections, whose entities the contexts declare
  path === 'functions/change-stream/service/apply-projections.ts';

describe('the table', () => {
  const current = functions.filter((file) => !isOldList(file));

  test('has no paging loop by hand: `items`, `pages` and `collect` of an entity read page by page', () => {
    // a page of the log ends at a cursor that the caller continues from, and a list of the CRM is read in pieces by the merge of several
    const inPieces = ['functions/webhooks/service/deliveries.ts', 'functions/crm/store/ordered-list.ts'];
    const files = current.filter(({ path }) => !inPieces.includes(path));
    expect(linesWith(files, /\} while \((after|last|page)|= page\.last;|after = \w+\.last\b/)).toEqual([]);
  });

  test('has no transaction whose refusals are read by position: the parts have names', () => {
    expect(linesWith(current, /\bcommit\(\[|refused\.(find|some|map|filter|includes)\(/)).toEqual([]);
  });

  test('has one class and one retry for writes that lose to others', () => {
    expect(linesWith(functions, /override name = '\w*Conflict'|class (Contended|Crowded)/)).toEqual([]);
  });

  test('has index attributes that only the entity writes', () => {
    expect(linesWith(functions.filter(isStore), /\b(list|due)_[ps]k:/)).toEqual([]);
  });

  test('is written and queried by stores', () => {
    const outside = functions.filter((file) => !isStore(file) && !mayWrite(file));
    expect(linesWith(outside, /\bcommit\(/)).toEqual([]);
    const importing = outside.filter(({ imports }) => imports.some((each) => /shared\/table\/(condition|query)\.ts$/.test(each)));
    expect(importing.map(({ path }) => path)).toEqual([]);
  });
});
