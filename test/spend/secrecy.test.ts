import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { app } from '../../functions/app.ts';
import { setRates } from '../../functions/spend/service/rates.ts';
import { importRates } from '../../functions/spend/service/operator-rates.ts';
import { allRoutes, type ContractFixture, type NamedRoute, rowsOf, startFixture } from '../contract/fixture.ts';
import { unwrap } from '../support/company.ts';
import { marketOf } from './cards.ts';

/** Whom prices are shown to: the tokens of the company alone. Not its public keys, not what it publishes, and never the contract of another company. */

const isPublic = ({ route }: NamedRoute): boolean => route.caller.kind === 'public_key' || route.caller.kind === 'public';

/** The schemas that show what messages cost. Products of a shop have prices too: those are no secret. */
const ofPrices = new Set([
  'Money',
  'MessageCost',
  'SendCost',
  'RateCard',
  'RateMarket',
  'RatePrice',
  'RateAdjustment',
  'RateLookup',
  'Spend',
  'SpendRow',
  'SpendFigures',
  'Ceilings',
  'UnknownPriceReason',
  'NoAmountReason',
  'ReachEstimate',
  'ReachAtPrice',
  'ExpectedReach',
]);

/** The named schemas that a schema has within it. */
const namesIn = (schema: z.ZodType): Set<string> => {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, each] of Object.entries(value)) {
      if (key === 'id' && typeof each === 'string') found.add(each);
      if (key === '$defs') for (const name of Object.keys(each as object)) found.add(name);
      visit(each);
    }
  };
  visit(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'output' }));
  return found;
};
const pricesIn = (schemas: Iterable<z.ZodType>): string[] =>
  [...schemas].flatMap((schema) => [...namesIn(schema)].filter((name) => ofPrices.has(name)));

describe('what is declared', () => {
  test.each(rowsOf(allRoutes.filter(isPublic)))('%s answers no price of messages', (_title, { route }) => {
    expect(pricesIn(Object.values(route.answers))).toEqual([]);
  });

  test.each(
    app
      .flatMap(({ events = [], logged = [] }) => [
        ...events.map((each) => ({
          name: each.name,
          schemas: [each.detail, each.webhookData, each.logData].filter((schema) => schema !== undefined),
        })),
        ...logged.map(({ types, data }) => ({ name: types.join(', '), schemas: [data] })),
      ])
      .map((each): [string, z.ZodType[]] => [each.name, each.schemas]),
  )('the event %s has no price of messages', (_name, schemas) => {
    expect(pricesIn(schemas)).toEqual([]);
  });

  test('and the answer of a send to a token has one', () => {
    const named = allRoutes.find(({ name }) => name === 'sendText');
    expect(pricesIn(Object.values(named?.route.answers ?? {}))).toEqual(expect.arrayContaining(['MessageCost', 'Money']));
  });
});

describe('what is answered and published', () => {
  const price = { operator: '0.737311', other: '0.919133' };
  const contract = 'Contract 4711 of the other company';
  let fixture: ContractFixture;
  beforeAll(async () => {
    fixture = await startFixture();
    const today = new Date(fixture.testApp.clock.now()).toISOString().slice(0, 10);
    const cardOf = (amount: string) => ({ currency: 'EUR', effective_from: today, markets: [marketOf('All', [], amount)] });
    unwrap(await importRates(cardOf(price.operator)));
    unwrap(await setRates(fixture.other.id, { ...cardOf(price.other), source: contract }));
  });
  afterAll(() => fixture[Symbol.asyncDispose]());

  /** Of an amount: decimal text, micro-units, or a sum of several. */
  const shows = (text: string, amount: string): boolean => text.includes(amount) || text.includes(amount.slice(2));
  const isOfRates = ({ name }: NamedRoute): boolean => ['listRates', 'getRate', 'setRates'].includes(name);
  // the examples of rates set a card of the company's own, which would hide the operator's: they come last
  const routes = [...allRoutes.filter((each) => !isOfRates(each)), ...allRoutes.filter(isOfRates)];

  test('no public key sees a price, no event has one, and no token sees what another company pays', { timeout: 600_000 }, async () => {
    const shown: string[] = [];
    const toTokens: string[] = [];
    for (const named of routes) {
      const answer = await fixture.call(named, await fixture.goodCall(named));
      if (isPublic(named) && Object.values(price).some((amount) => shows(answer.raw, amount))) shown.push(named.name);
      if (shows(answer.raw, price.other) || answer.raw.includes(contract)) shown.push(`${named.name}: of the other company`);
      if (!isPublic(named) && shows(answer.raw, price.operator)) toTokens.push(named.name);
    }
    await fixture.testApp.drain();
    const published = [
      ...fixture.testApp.events.map((event) => JSON.stringify(event)),
      ...(await fixture.testApp.dump())
        .filter(({ kind }) => /event|delivery|outbox|log/.test(String(kind)))
        .map((item) => JSON.stringify(item)),
    ];
    for (const text of published)
      if (Object.values(price).some((amount) => shows(text, amount)) || text.includes(contract)) shown.push(text.slice(0, 200));
    expect(shown).toEqual([]);
    // what would have been seen
    expect(published.length).toBeGreaterThan(50);
    expect(toTokens).toEqual(expect.arrayContaining(['sendText', 'sendTemplate']));
  });
});
