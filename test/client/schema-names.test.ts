import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { feedEventName, feedOf } from '../../lib/generate/feed.ts';
import { openApi } from '../../lib/generate/openapi.ts';
import type { Context } from '../../shared/contract/context.ts';
import { eventName } from '../../shared/contract/event.ts';
import { route, type RouteSpec } from '../../shared/contract/route.ts';

/** A name in the published document is public and stays: a contract gives it, and no order of operations changes it. */
const root = join(import.meta.dirname, '../..');
const names = Object.keys(
  (JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8')) as { components: { schemas: Record<string, unknown> } }).components.schemas,
);
const contracts = globSync(['functions/**/contract{.ts,/**/*.ts}', 'shared/contract/*.ts'], { cwd: root })
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n');

const given = new Set(
  [...contracts.matchAll(/\b(?:id|outputId): '(\w+)'|'(\w+ByPlaceholder)'/g)].map(([, id, placed]) => id ?? placed ?? ''),
);
const events = new Set(app.flatMap(({ events = [] }) => events).map(({ name }) => eventName(name)));

const logged = new Set(feedOf(app).map(feedEventName));

describe('the names of the published schemas', () => {
  it('are given by contracts: by hand, or as the page of a named record, the form of a named body or the body of a declared event', () => {
    expect(names.length).toBeGreaterThan(250);
    const isGiven = (name: string): boolean =>
      given.has(name) || events.has(name) || logged.has(name) || given.has(name.replace(/(Page|Form)$/, ''));
    expect(names.filter((name) => !isGiven(name))).toEqual([]);
  });

  it('never end in a digit', () => {
    expect(names.filter((name) => /\d$/.test(name))).toEqual([]);
  });
});

const write = {
  method: 'POST',
  summary: 'Create a thing',
  caller: { kind: 'public' },
  limit: 'public',
  effect: 'write',
  errors: [],
} as const;
const answering = (path: string, answer: z.ZodType, body = z.object({ name: z.string() }).meta({ id: `${path}Request` })): RouteSpec =>
  route({ ...write, path: `/${path}`, body, answers: { 200: answer } });
const documentOf = (...specs: RouteSpec[]) => {
  const routes = Object.fromEntries(specs.map((spec) => [`create${spec.path.slice(1)}`, spec]));
  const context: Context = {
    name: 'things',
    purpose: 'Things',
    functions: [{ name: 'things', trigger: 'http', entry: '', uses: [], routes }],
  };
  return openApi([context]);
};
const thing = (field: string, id: string) => z.object({ [field]: z.string() }).meta({ id });

describe('the generator', () => {
  it('takes the names of contracts, and writes in place what has none', () => {
    const document = documentOf(
      answering('Thing', z.object({ data: thing('a', 'GivenThing'), list: z.array(z.object({ b: z.string() })) })),
    );
    expect(Object.keys((document['components'] as { schemas: object }).schemas)).toEqual([
      'FieldErrors',
      'GivenThing',
      'Problem',
      'ProblemCode',
      'ThingRequest',
    ]);
  });

  it('refuses one name for two schemas of answers', () => {
    expect(() => documentOf(answering('One', thing('a', 'SameName')), answering('Two', thing('b', 'SameName')))).toThrow(/SameName/);
  });

  it('refuses one name for a schema of requests and another of answers', () => {
    const body = thing('a', 'SharedName') as unknown as z.ZodObject<{ name: z.ZodString }>;
    expect(() => documentOf(answering('One', thing('b', 'SharedName'), body))).toThrow(
      'No contract gives the schema name SharedNameOutput',
    );
  });

  it('refuses a name that ends in a digit', () => {
    expect(() => documentOf(answering('One', thing('a', 'Thing2')))).toThrow('The schema name Thing2 ends in a digit');
  });

  it('refuses a request body without a name', () => {
    const body = z.object({ name: z.string() });
    expect(() => documentOf(answering('One', z.object({}), body))).toThrow('The body of createOne has no name');
  });
});
