import { expect, test } from 'vitest';
import openapi from '../../openapi.json' with { type: 'json' };
import { described, requestOf } from '../../console/screens/developers/openapi.ts';

/** A call from the reference is the request that the document describes, and one that lacks something is none. */
const operations = described(openapi as unknown as Parameters<typeof described>[0]);
const one = (name: string) => {
  const found = operations.find((each) => each.name === name);
  if (!found) throw new Error(`There is no operation ${name}.`);
  return found;
};

test('parameters go into the path and the query, each as it was typed, and no empty one', () => {
  const made = requestOf(one('listConversationMessages'), { values: { id: '7 ', search: 'a&b=c / ü', limit: '' }, body: '' });
  expect(made).toEqual({
    path: `/api/v1/conversations/7/messages?search=${encodeURIComponent('a&b=c / ü').replaceAll('%20', '+')}`,
    init: { method: 'GET', headers: {} },
  });
});

test('a body goes as it was typed, and each write has a key of its own', () => {
  const body = '{ "url": "https://example.com/hook",  "events": ["*"] }';
  const made = [1, 2].map(() => requestOf(one('createWebhook'), { values: {}, body }));
  for (const each of made)
    expect(each).toMatchObject({
      path: '/api/v1/webhooks',
      init: { method: 'POST', body, headers: { 'content-type': 'application/json' } },
    });
  expect(new Set(made.map((each) => ('init' in each ? JSON.stringify(each.init.headers) : ''))).size).toBe(2);
});

test('what is missing is named, and nothing is sent', () => {
  expect(requestOf(one('resendDelivery'), { values: { id: ' ' }, body: '' })).toEqual({
    missing: ['id', 'delivery_id'],
    isBodyWrong: false,
  });
  expect(requestOf(one('createWebhook'), { values: {}, body: '{ url: 1 }' })).toEqual({ missing: [], isBodyWrong: true });
});

test('every operation can be called with its own example and a value for each parameter', () => {
  for (const operation of operations) {
    const values = Object.fromEntries(operation.parameters.map(({ name }) => [name, '1']));
    const made = requestOf(operation, { values, body: operation.body === undefined ? '' : JSON.stringify(operation.body) });
    if ('missing' in made) throw new Error(`${operation.name}: ${made.missing.join(', ')}`);
    expect(made.path, operation.name).not.toMatch(/[{}]/);
  }
});
