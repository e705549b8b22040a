import { describe, expect, test } from 'vitest';
import { app } from '../../functions/app.ts';
import type { HttpEvent, HttpRequest } from '../../shared/http/exchange.ts';
import { matchRoute } from '../../shared/http/match.ts';

const receivers = app
  .flatMap(({ functions }) => functions)
  .flatMap((spec) => (spec.trigger === 'http' && Object.values(spec.routes).some(({ via }) => via === 'url') ? [spec] : []));

/** The route that a function finds, and what it reads from the path. */
const found = async (name: string, method: string, rawPath: string, routeKey = '$default', pathParameters?: Record<string, string>) => {
  const spec = receivers.find((each) => each.name === name);
  if (!spec) throw new Error(`There is no receiver ${name}.`);
  const event = { routeKey, rawPath, pathParameters, requestContext: { http: { method } }, exchange: {} } as unknown as HttpEvent;
  await matchRoute(spec.routes).before?.({ event } as unknown as HttpRequest);
  return [event.exchange.routeName, event.exchange.pathParameters];
};

describe('a receiver answers', () => {
  const route = ['receiveWebhook', { webhook_token: 'abc' }];

  test('at its function URL, which knows no routes, also after one slash too many', async () => {
    expect(await found('messaging-webhook', 'POST', '/webhook/messaging/receive/abc')).toEqual(route);
    expect(await found('messaging-webhook', 'POST', '//webhook/messaging/receive/abc')).toEqual(route);
    await expect(found('messaging-webhook', 'POST', '/webhook//messaging/receive/abc')).rejects.toThrow('route_not_found');
  });

  test('at the address of the API, by its own key or by one that stands for many receivers', async () => {
    const own = 'ANY /webhook/messaging/receive/{webhook_token}';
    expect(await found('messaging-webhook', 'POST', '/webhook/messaging/receive/abc', own, { webhook_token: 'abc' })).toEqual(route);
    const many = 'ANY /shop/webhooks/{receiver}/{webhook_token}';
    const parameters = { receiver: 'logistics', webhook_token: 'abc' };
    expect((await found('shop-webhook', 'POST', '/shop/webhooks/logistics/abc', many, parameters))[1]).toEqual({ webhook_token: 'abc' });
    await expect(found('shop-webhook', 'POST', '/shop/webhooks/nothing/abc', many, parameters)).rejects.toThrow('route_not_found');
  });
});

/** One key of the API leads to many routes: `ANY /api/v1/conversations/{rest+}`. */
const families = app
  .flatMap(({ functions }) => functions)
  .flatMap((spec) => {
    const key = spec.trigger === 'http' ? spec.apiPaths?.find((path) => path.endsWith('+}')) : undefined;
    if (spec.trigger !== 'http' || key === undefined) return [];
    const below = Object.entries(spec.routes).filter(([, { path }]) => path.startsWith(key.replace('{rest+}', '')));
    return below.map(([name, route]) => [`${spec.name} ${name}`, spec.routes, key, name, route] as const);
  });

test.each(families)('behind a key that stands for all below it, %s is found', async (_title, routes, key, name, route) => {
  const rawPath = route.path.replaceAll(/\{[a-z_]+\}/g, '12');
  const event = {
    routeKey: `ANY ${key}`,
    rawPath,
    pathParameters: { rest: rawPath.slice(key.indexOf('{')) },
    requestContext: { http: { method: route.method } },
    exchange: {},
  } as unknown as HttpEvent;
  await matchRoute(routes).before?.({ event } as unknown as HttpRequest);
  expect(event.exchange.routeName).toBe(name);
});
