import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sourceFiles } from './imports.ts';

const folder = join(import.meta.dirname, '../../console');
const stylesheets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.css') && !/^dist(-local)?\//.test(name),
);

const classesOf = (css: string): string[] =>
  [...css.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"/g, '').matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name ?? '');

/** Words in quotes, and beginnings of words that go on with a value: `hue-` of `hue-${hue}`. */
const namedIn = (texts: readonly string[]) => {
  const quoted = texts.flatMap((text) => text.replace(/^import .*$/gm, '').match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? []);
  const words = new Set(quoted.flatMap((each) => each.match(/[\w-]+/g) ?? []));
  const beginnings = [...new Set(quoted.flatMap((each) => [...each.matchAll(/([\w-]+-)\$\{/g)].map(([, begin]) => begin ?? '')))];
  return (name: string): boolean => words.has(name) || beginnings.some((begin) => name.startsWith(begin));
};

test('each class of the console that has a style is named by a component', () => {
  expect(stylesheets.length).toBeGreaterThan(8);
  const isNamed = namedIn(sourceFiles('console').map(({ text }) => text));
  const unused = stylesheets.flatMap((name) =>
    classesOf(readFileSync(join(folder, name), 'utf8'))
      .filter((each) => !isNamed(each))
      .map((each) => `${name} .${each}`),
  );
  expect(unused).toEqual([]);
});

test('a class without a component is found', () => {
  const isNamed = namedIn(['<p className="lead muted" />', 'className={`avatar hue-${hue}`}', "import './lost.css';"]);
  expect(classesOf('.lead { } .hue-3 > .avatar { } /* .gone */ .lost { margin: .5em }').filter((each) => !isNamed(each))).toEqual(['lost']);
});
