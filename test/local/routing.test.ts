import { describe, expect, it } from 'vitest';
import { routePattern, router } from '../../lib/local/routing.ts';

const keys = ['ANY /a/{rest+}', 'GET /a/{id}', 'GET /a/fixed', 'ANY /a/{id}', 'GET /a/{id}/b', 'GET /a/fixed/{x}', 'POST /c/{token}'];
const find = router(keys.map((key) => ({ pattern: routePattern(key), route: key })));

describe('the most specific route wins', () => {
  it.each([
    ['GET', '/a/fixed', 'GET /a/fixed'],
    ['GET', '/a/1', 'GET /a/{id}'],
    ['PUT', '/a/1', 'ANY /a/{id}'],
    ['GET', '/a/1/b', 'GET /a/{id}/b'],
    ['GET', '/a/fixed/b', 'GET /a/fixed/{x}'],
    ['GET', '/a/1/c', 'ANY /a/{rest+}'],
    ['HEAD', '/a/fixed', 'ANY /a/{id}'],
    ['GET', '/a', undefined],
    ['GET', '/a/', undefined],
    ['GET', '/c/x', undefined],
    ['POST', '/c/x/', undefined],
  ])('%s %s goes to %s', (method, path, key) => {
    expect(find(method, path)?.route).toBe(key);
  });

  it.each([
    ['/api/v1/things', '/api/v1/things'],
    ['/api/v1/things/1', '/api/v1/things/{id}'],
    ['/api/v1/others', '/api/v1/{any}'],
    ['/api/v1/others/1', '/api/{rest+}'],
    ['/api/v2/things', '/api/{version}/things'],
    ['/api/v1', '/api/{rest+}'],
    ['/', undefined],
  ])('%s goes to %s, whether or not a route names its third segment', (path, expected) => {
    const paths = ['/api/v1/things', '/api/v1/things/{id}', '/api/v1/{any}', '/api/{version}/things', '/api/{rest+}'];
    const among = router(paths.map((each) => ({ pattern: routePattern(`GET ${each}`), route: each })));
    expect(among('GET', path)?.route).toBe(expected);
  });

  it('decodes parameters and leaves alone what is no valid encoding', () => {
    expect(find('GET', '/a/x%2Fy%20z')?.parameters).toEqual({ id: 'x/y z' });
    expect(find('GET', '/a/%E0%A4%A')?.parameters).toEqual({ id: '%E0%A4%A' });
    expect(find('PUT', '/a/b/c')?.parameters).toEqual({ rest: 'b/c' });
    expect(find('GET', '/a/fixed')?.parameters).toBeUndefined();
  });
});
