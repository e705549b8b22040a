import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import { placeOf, type SourceFile, sourceFiles } from './imports.ts';
import { exportedNames, namesAndComments, replacedWords, wordsIn } from './language.ts';

const root = join(import.meta.dirname, '..', '..');
const product = sourceFiles('functions', 'shared', 'lib', 'bin', 'client', 'conformance', 'console').filter(
  ({ path }) => !path.includes('.generated.') && !path.includes('/dist/'),
);
// this file has the replaced words as data
const tests = sourceFiles('test', 'bench').filter(({ path }) => path !== 'test/wiring/language.test.ts');

/** Where a replaced word is the field's own: what is taken out of a name or comment before it is read, and why. */
const fieldWords: readonly { text: RegExp; because: string; under?: RegExp }[] = [
  { text: /dead[ -]?letters?/gi, because: 'the SQS term' },
  { text: /\bepoch (milli)?seconds|\bUnix epoch|\bepoch(Ms|Seconds)|timeEpoch/gi, because: 'the Unix epoch; a field of API Gateway' },
  {
    text: /\bHEAD\b|headObject|HeadObject\w*|<\/?head>|writeHead/g,
    because: 'the HTTP method, the S3 call, the HTML element, the Node method',
  },
  { text: /\blisten(s|ing)? on\b|^listen(ers?|erCount)?$|EventListener\w*/g, because: 'sockets and event emitters' },
  { text: /keep-?alive\w*|keepAlive\w*/gi, because: 'the HTTP header and the agent option' },
  { text: /keepData|keepDays/g, because: 'settings of a deployment, in use with -c' },
  {
    text: /byte[ -]order[ -]mark|watermark\w*|(question|quotation|exclamation) marks?/gi,
    because: "typography, and the dispatcher's watermark",
  },
  { text: /mark_?as_?read|markAsRead|mark(Conversation)?(Un)?[rR]ead/gi, because: "the provider's operation, and its opposite" },
  { text: /keepPreviousData|onSettled/g, because: 'options of TanStack Query' },
  { text: /allSettled|PromiseSettledResult/g, because: 'JavaScript' },
  { text: /guess_(budget_per_day|bound)/g, because: 'settings and reasons that the specification names' },
  { text: /isDead/g, because: "a stored field of the store platform's simulator" },
  { text: /undo/gi, because: 'the word of interfaces for taking a change back', under: /^(test\/)?console\// },
  { text: /type guard/gi, because: 'the TypeScript term' },
];

/** Names that every context gives to the same thing: what a role's file declares, and is read by under that name. */
const roleNames: Record<string, string> = {
  handler: 'the entry point that Lambda calls, by its name in the built function',
  due: "a context's due work",
  erasure: "a context's steps of an erasure",
  projections: "a context's projections",
  reactions: "a context's reactions, or those of one subject",
  recounts: "a context's recounts",
  journal: 'what of a context must survive a restore',
  restores: 'how a context applies its journal to a restored table',
  statuses: 'what a provider status means for the sends of a context',
  webhookData: 'what webhooks say of the events of a context',
};

const offences = ({ path, text }: SourceFile): string[] => {
  const replaced = new Map(replacedWords().map((each) => [each.word, each.in]));
  return namesAndComments(text).flatMap((each) => {
    const own = fieldWords
      .filter(({ under }) => !under || under.test(path))
      .reduce((left, { text: allowed }) => left.replace(allowed, ' '), each.text);
    const words = wordsIn(own).filter((word) => replaced.get(word) === 'names and comments' || (each.in === 'name' && replaced.has(word)));
    return words.map((word) => `${path}:${each.line} ${word}: ${each.text.trim().slice(0, 80)}`);
  });
};

describe('the language of docs/glossary.md', () => {
  test('the glossary lists words to replace', () => {
    expect(replacedWords().length).toBeGreaterThan(60);
  });

  test('no name or comment of the product, its tests or its benchmarks has a word that the glossary replaces', () => {
    expect([...product, ...tests].flatMap(offences)).toEqual([]);
  });

  test('an exported name means one thing', () => {
    const definedIn = new Map<string, string[]>();
    for (const { path, text } of product.filter(({ path }) => /^(functions|shared)\//.test(path))) {
      for (const name of exportedNames(text)) definedIn.set(name, [...(definedIn.get(name) ?? []), path]);
    }
    expect(definedIn.size).toBeGreaterThan(3_000);
    const twice = [...definedIn].filter(([name, paths]) => paths.length > 1 && !(name in roleNames));
    expect(twice.map(([name, paths]) => `${name}: ${paths.join(', ')}`)).toEqual([]);
    expect(Object.keys(roleNames).filter((name) => (definedIn.get(name) ?? []).length < 2)).toEqual([]);
  });

  test.each([
    ['export const a = 1;\nconst b = 2;', ['a']],
    ['export async function a() {}\nexport function a(b) {}', ['a']],
    ['export interface A {}\nexport type B = A;\nexport class C {}', ['A', 'B', 'C']],
    ['export const { a, b: c } = d();', ['a', 'c']],
    ["export { a } from './a.ts';", []],
  ])('exported names of %j', (source, names) => {
    expect(exportedNames(source)).toEqual(names);
  });

  test('every operation has a use case of its name in a service that its context answers with', () => {
    const operations = app.flatMap((context) =>
      context.functions.flatMap((each) =>
        each.trigger === 'http' ? Object.keys(each.routes).map((name) => ({ context: context.name, name })) : [],
      ),
    );
    expect(operations.length).toBeGreaterThan(140);
    const missing = operations.filter(({ context, name }) => {
      const answering = product.filter(({ path }) => placeOf(path)?.context === context && placeOf(path)?.role === 'http');
      const imported = new Set(answering.flatMap(({ imports }) => imports));
      const services = product.filter(
        ({ path }) => placeOf(path)?.role === 'service' && (placeOf(path)?.context === context || imported.has(path)),
      );
      return !services.some(({ text }) => new RegExp(`export (const|(async )?function) ${name}\\b`).test(text));
    });
    expect(missing.map(({ context, name }) => `${context} ${name}`)).toEqual([]);
  });

  test('every rule and every decision page that code and pages cite exists', () => {
    const rules = new Set(
      [...readFileSync(join(root, 'docs/decisions/rules.md'), 'utf8').matchAll(/^\| ([AGSV]\d+) \|/gm)].map(([, code]) => code),
    );
    const cited = [...product, ...tests].flatMap(({ path, text }) => {
      const comments = namesAndComments(text).filter((each) => each.in === 'comment');
      return comments.flatMap((each) => [
        ...[...each.text.matchAll(/(?<![\w./-])([AGSV]\d{1,2})(?![\w'"])/g)]
          .filter(([, code]) => code !== 'S3' && !rules.has(code))
          .map(([, code]) => `${path}:${each.line} ${code}`),
        ...[...each.text.matchAll(/docs\/[\w./-]+\.md/g)]
          .filter(([page]) => !existsSync(join(root, page)))
          .map(([page]) => `${path}:${each.line} ${page}`),
      ]);
    });
    expect(cited).toEqual([]);
  });

  test.each([
    ["const sentAt = 'told'; // The worker stops", ['const', 'sentAt', '// The worker stops']],
    ['/* one\n two */ a', ['/* one', ' two */', 'a']],
    ["const a = `x ${told} y`; // 'b'", ['const', 'a', 'told', "// 'b'"]],
    ["x.replace(/told'/g, '')", ['x', 'replace']],
  ])('names and comments of %j', (source, texts) => {
    expect(namesAndComments(source).map(({ text }) => text)).toEqual(texts);
  });
});
