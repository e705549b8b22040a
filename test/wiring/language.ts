import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A word that the glossary replaces, and where it may not stand. */
export interface ReplacedWord {
  word: string;
  in: 'names and comments' | 'names';
}

/** The words of the glossary's two tables of words to replace. */
export const replacedWords = (): ReplacedWord[] => {
  const text = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
  const [, both = '', names = ''] = /\nIn names \(([\s\S]*?)\nIn names only;([\s\S]*)$/.exec(text) ?? [];
  const wordsOf = (table: string): string[] =>
    table
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)].map(([, word]) => word ?? ''));
  return [
    ...wordsOf(both).map((word): ReplacedWord => ({ word, in: 'names and comments' })),
    ...wordsOf(names).map((word): ReplacedWord => ({ word, in: 'names' })),
  ];
};

export interface Words {
  line: number;
  text: string;
  in: 'name' | 'comment';
}

/** The names and comments of a TypeScript source, line by line; the contents of strings and regular expressions are data. */
export const namesAndComments = (source: string): Words[] => {
  const pieces =
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[=(,:!&|?{};\n]\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*|[A-Za-z_$][\w$]*|\n/g;
  let line = 1;
  return [...source.matchAll(pieces)].flatMap(([piece]): Words[] => {
    const at = line;
    line += piece.split('\n').length - 1;
    if (piece.startsWith('/*') || piece.startsWith('//')) {
      return piece.split('\n').map((text, index) => ({ line: at + index, text, in: 'comment' }));
    }
    // names inside the placeholders of a template literal are code
    if (piece.startsWith('`')) {
      return [...piece.matchAll(/\$\{([^}]*)\}/g)].flatMap(([, code = '']) =>
        namesAndComments(code).map((each) => ({ ...each, line: at })),
      );
    }
    return /^[A-Za-z_$]/.test(piece) ? [{ line: at, text: piece, in: 'name' }] : [];
  });
};

/** `sentAt` -> sent, at; also for comments. */
export const wordsIn = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z]+/g) ?? [];

/** The names that a TypeScript source defines and exports, without those that it passes on. */
export const exportedNames = (source: string): string[] => {
  const single = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm;
  const destructured = /^export const \{([^}]*)\}/gm;
  return [
    ...new Set([
      ...[...source.matchAll(single)].map(([, name = '']) => name),
      ...[...source.matchAll(destructured)].flatMap(([, names = '']) => names.split(',').map((each) => /(\w+)\s*$/.exec(each)?.[1] ?? '')),
    ]),
  ].filter((name) => name !== '');
};
