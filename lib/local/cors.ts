import type { IncomingHttpHeaders } from 'node:http';
import type { WireResponse } from './http-event.ts';
import { corsRules } from '../cors-rules.ts';
import { isTrue, type Json, listOf, numberOf, objectOf } from './json.ts';

/** Cross-origin answers as API Gateway gives them from an API's CorsConfiguration. */
export interface Cors {
  /** The answer to a preflight; undefined when the request is none. */
  preflight(method: string, headers: IncomingHttpHeaders): WireResponse | undefined;
  /** The headers that every other answer to this origin gets. */
  headersFor(headers: IncomingHttpHeaders): Record<string, string>;
}

/** Undefined when the API has no CORS configuration: preflights then go to the routes. */
export const corsOf = (configuration: Json | undefined): Cors | undefined => {
  if (configuration === undefined || configuration === null) return undefined;
  const settings = objectOf(configuration);
  const texts = (name: string): string[] => listOf(settings[name]).map(String);
  const [origins, methods, allowed, exposed] = [
    texts('AllowOrigins'),
    texts('AllowMethods'),
    texts('AllowHeaders'),
    texts('ExposeHeaders'),
  ];
  const credentials = isTrue(settings.AllowCredentials);
  const allows = (origin: string): boolean =>
    origins.some((each) => each === '*' || each === origin || (each.endsWith('*') && isWithin(origin, each.slice(0, -1))));
  const originHeaders = (headers: IncomingHttpHeaders): Record<string, string> => {
    const origin = headers.origin;
    if (origin === undefined || !allows(origin)) return {};
    return {
      'access-control-allow-origin': origins.includes('*') ? '*' : origin,
      ...(origins.includes('*') ? {} : { vary: 'Origin' }),
      ...(credentials ? { 'access-control-allow-credentials': 'true' } : {}),
    };
  };
  return {
    preflight: (method, headers) => {
      if (method !== 'OPTIONS' || headers.origin === undefined || headers['access-control-request-method'] === undefined) return undefined;
      const base = originHeaders(headers);
      const maxAge = numberOf(settings.MaxAge);
      const granted =
        Object.keys(base).length === 0
          ? {}
          : {
              ...base,
              'access-control-allow-methods': methods.join(','),
              ...(allowed.length > 0
                ? {
                    'access-control-allow-headers': allowed.includes('*')
                      ? String(headers['access-control-request-headers'] ?? '*')
                      : allowed.join(','),
                  }
                : {}),
              ...(maxAge === undefined ? {} : { 'access-control-max-age': String(maxAge) }),
            };
      return { status: 204, headers: granted, body: Buffer.alloc(0) };
    },
    headersFor: (headers) => {
      const base = originHeaders(headers);
      if (Object.keys(base).length > 0 && exposed.length > 0) base['access-control-expose-headers'] = exposed.join(',');
      return base;
    },
  };
};

/** An origin of any host (`https://*`) or of any port of one host (`http://localhost:*`). */
const isWithin = (origin: string, prefix: string): boolean =>
  origin.startsWith(prefix) && (prefix.endsWith('://') || /^\d+$/.test(origin.slice(prefix.length)));

/** On the laptop a page of its own hosts may call the API without a setting, so that a sign-in page can be tried; others are named. */
export const localCors = (origins: readonly string[] = []): Cors | undefined =>
  corsOf({
    AllowOrigins: ['http://localhost:*', 'http://127.0.0.1:*', ...origins],
    AllowMethods: [...corsRules.methods],
    AllowHeaders: [...corsRules.allowHeaders],
    ExposeHeaders: [...corsRules.exposeHeaders],
    MaxAge: corsRules.maxAgeSeconds,
  });
