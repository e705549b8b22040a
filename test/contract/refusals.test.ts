import { afterAll, beforeAll, expect, test } from 'vitest';
import openapi from '../../openapi.json' with { type: 'json' };
import { refusalKinds } from '../../shared/contract/refusal-kinds.ts';
import { kindsOfAnswer } from '../support/refusal-kinds.ts';
import type { Call } from '../support/gateway-event.ts';
import { seeded } from '../support/random.ts';
import { runSize } from '../support/run-size.ts';
import { allowedBody, bodySchemaOf, descriptionOf } from './allowed-bodies.ts';
import { allRoutes, codeOf, type ContractFixture, fieldsIn, type NamedRoute, rowsOf, startFixture, usableAfter } from './fixture.ts';

/** A body that openapi.json allows is accepted, or refused for a reason of a kind that the operation names. */
let fixture: ContractFixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture[Symbol.asyncDispose]());

/** What stands in the way of the good requests of others, once it was drawn: these come last. */
const isInTheWay = ({ name }: NamedRoute): boolean =>
  /^(create|update)Field$|^(add|update|connect)Number$|^rotateNumberSecrets$|^update(Company|Shop)Settings$|^mergeContacts$/.test(name);
// of a signed body the bytes are the provider's: it is tested with its samples (test/samples)
const withBody = allRoutes
  .filter(({ name }) => bodySchemaOf(name) !== undefined && name !== 'receiveWebhook')
  .toSorted((one, other) => Number(isInTheWay(one)) - Number(isInTheWay(other)));
const bodies = runSize(9, 45);

const namedKinds = (operationId: string): string[] => {
  const [, list = ''] = /\*\*Refuses:\*\* (.*)/.exec(descriptionOf(operationId)) ?? [];
  return [...list.matchAll(/`([a-z]+)`/g)].map(([, kind = '']) => kind);
};

test('there are at most 20 kinds of refusal, and the introduction of the document says what each means', () => {
  expect(Object.keys(refusalKinds).length).toBeLessThanOrEqual(20);
  for (const [kind, meaning] of Object.entries(refusalKinds)) expect(openapi.info.description).toContain(`| \`${kind}\` | ${meaning} |`);
});

test.each(rowsOf(withBody))('%s takes what the document allows, or refuses it for a reason that it names', async (_title, named) => {
  const random = seeded(20_261_130);
  const kinds = namedKinds(named.name);
  const unnamed = new Set<string>();
  let good = (): Promise<Call> => fixture.goodCall(named);
  for (let drawn = 0; drawn < bodies; drawn++) {
    const call = await good();
    const isText = typeof call.body === 'string';
    const body = allowedBody(named.name, isText ? JSON.parse(String(call.body)) : call.body, random);
    const headers = { 'content-type': 'application/json', ...call.headers };
    const answer = await fixture.call(named, { ...call, headers, body: JSON.stringify(body) });
    good = usableAfter(fixture, named, { call, answer });
    if (answer.status < 400) continue;
    for (const [kind, words] of kindsOfAnswer(codeOf(answer) ?? '', fieldsIn(answer)))
      if (kind === undefined || !kinds.includes(kind)) unnamed.add(`${kind ?? 'no kind'}: ${words.slice(0, 160)}`);
  }
  expect([...unnamed]).toEqual([]);
});
