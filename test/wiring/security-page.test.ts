import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
const rows = [...page.matchAll(/`(test\/[^`]+)` "([^"]+)"/g)].map(([, file = '', title = '']) => ({ file, title }));
/** As it stands in a source: typographic or escaped, a quotation mark is a quotation mark. */
const plain = (text: string): string => text.replaceAll(/\\?['’]/g, "'");

describe('docs/security.md', () => {
  test.each(rows.map((row) => [`${row.file}: ${row.title}`, row] as const))('names a test that exists: %s', (_, { file, title }) => {
    expect(existsSync(join(root, file)), file).toBe(true);
    expect(plain(readFileSync(join(root, file), 'utf8'))).toContain(plain(title));
  });

  test('has every item of the Top 10, and each finding of the review is mended with a test or argued', () => {
    for (let item = 1; item <= 10; item++) expect(page).toContain(`| API${item} `);
    const tableRows = page.split('\n').filter((line) => /^\| (E|W|H)\d/.test(line));
    expect(tableRows.filter((line) => !/`test\/|argued: |open: /.test(line))).toEqual([]);
  });
});
