import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { codeBlocks, runProgram } from '../support/programs.ts';

/** The oldest versions that the clients promise, whatever runs here: Python 3.9 and PHP 8.1. */
const root = join(import.meta.dirname, '../..');
const guides = readdirSync(join(root, 'docs/guides')).map((name) => `docs/guides/${name}`);

test('the Python client, its tests and the guides have the syntax of Python 3.9', async () => {
  const files = readdirSync(join(root, 'clients/python'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.py'))
    .map((name) => readFileSync(join(root, 'clients/python', name), 'utf8'));
  const blocks = [...guides, 'clients/python/README.md'].flatMap((page) => codeBlocks(page, 'python'));
  expect(Math.min(files.length, blocks.length)).toBeGreaterThan(4);
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-python-'));
  try {
    const list = join(folder, 'sources.json');
    writeFileSync(list, JSON.stringify([...files, ...blocks]));
    const program = 'import ast, json, sys\nfor source in json.load(open(sys.argv[1])): ast.parse(source, feature_version=(3, 9))';
    await runProgram({ command: 'python3', args: ['-c', program, list] });
    writeFileSync(list, JSON.stringify(['match 1:\n  case 1: pass']));
    await expect(runProgram({ command: 'python3', args: ['-c', program, list] })).rejects.toThrow('3.10');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

/** What PHP 8.1 does not parse, or does not have. */
const newer: readonly RegExp[] = [
  /\breadonly\s+(final\s+|abstract\s+)*class\b/,
  /\bclass\b[^{]*\{[^}]*\bconst\s+\??(string|int|array|bool|float)\s+[A-Z_]+\s*=/,
  // types of their own
  /\)\s*:\s*\??(true|false|null)\s*\{|[(,]\s*(true|false|null)\s+\$/,
  /\([\w\\]+&[\w\\]+\)\|/,
  /#\[\\?(Override|Deprecated|SensitiveParameter|AllowDynamicProperties)\b/,
  /\b(json_validate|str_increment|str_decrement|mb_str_pad|array_find|array_find_key|array_any|array_all|mb_trim|array_first|array_last|ini_parse_quantity)\s*\(/,
  /\b(private|protected)\(set\)|\|>/,
];

test('the PHP client, its tests and the guides have what PHP 8.1 has', () => {
  const files = readdirSync(join(root, 'clients/php'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.php'))
    .map((name) => [name, readFileSync(join(root, 'clients/php', name), 'utf8')] as const);
  const blocks = [...guides, 'clients/php/README.md'].flatMap((page) => codeBlocks(page, 'php').map((block) => [page, block] as const));
  expect(Math.min(files.length, blocks.length)).toBeGreaterThan(4);
  const found = [...files, ...blocks].flatMap(([name, source]) => {
    const code = source.replaceAll(/\/\*[^]*?\*\/|\/\/.*$/gm, '');
    return newer.flatMap((each) => each.exec(code)?.[0] ?? []).map((text) => `${name}: ${text}`);
  });
  expect(found).toEqual([]);
});
