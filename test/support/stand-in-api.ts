import type { Page, Route } from 'playwright-core';
import { answerOf, operationAt } from './made-answers.ts';

/** How the API behind a page is. */
export interface ApiState {
  /** How many rows its lists have. */
  rows: number;
  role: 'owner' | 'viewer';
  /** What becomes of calls, once the frame of the page is there: they are answered, they never are, they fail, there is no connection. */
  calls: 'answered' | 'unanswered' | 'failed' | 'offline';
}

const accepted = (id: string, type: string, content: unknown, nth: number, now: number) => ({
  wamid: `wamid.${id}`,
  to: '4915112345600',
  type,
  payload: { type, [type]: content },
  at: new Date(now - (20 - nth) * 60_000).toISOString(),
  status: 'read',
  error_code: null,
});

/** What the laptop's own controls answer: a phone with a message of each kind. */
const localAnswer = (path: string, { rows }: ApiState, now: number): unknown => {
  if (path.startsWith('sessions'))
    return { data: rows === 0 ? [] : ['owner', 'viewer'].map((role) => ({ company_id: 1, company: 'Alder', role })) };
  if (path.startsWith('clock')) return { data: { now: new Date(now).toISOString(), offset_seconds: 0 } };
  if (path.startsWith('emails'))
    return { data: Array.from({ length: rows }, (_, nth) => ({ to: 'kim@alder.example', subject: `Code ${nth}`, text: 'It is 123456.' })) };
  if (path.startsWith('provider/messages'))
    return {
      data: [
        accepted('1', 'text', { body: 'Yes, *it is*.' }, 1, now),
        accepted(
          '2',
          'template',
          { name: 'order_update', components: [{ type: 'body', parameters: [{ type: 'text', text: 'Kim' }] }] },
          2,
          now,
        ),
        accepted('3', 'image', { link: '/console/icon.svg', caption: 'A picture' }, 3, now),
        accepted('4', 'document', { filename: 'invoice.pdf' }, 4, now),
        accepted('5', 'location', { name: 'Brandenburger Tor', latitude: 52.5, longitude: 13.4 }, 5, now),
        accepted(
          '6',
          'interactive',
          { body: { text: 'Which?' }, action: { buttons: [{ reply: { id: 'a', title: 'The red one' } }] } },
          6,
          now,
        ),
        accepted(
          '7',
          'interactive',
          { body: { text: 'Which?' }, action: { button: 'Choose', sections: [{ rows: [{ id: 'b', title: 'Blue' }] }] } },
          7,
          now,
        ),
        accepted(
          '8',
          'interactive',
          { body: { text: 'See' }, action: { parameters: { display_text: 'Open', url: 'https://example.com' } } },
          8,
          now,
        ),
      ].slice(0, rows === 0 ? 0 : 8),
    };
  if (path.startsWith('provider/inbound')) return { data: { wamid: 'wamid.new' } };
  return { data: {} };
};

/** Stands for the script of the provider that opens its dialog: the first time the user closes the window, and then it gives a code. */
const dialogScript = {
  path: '/console/stand-in-dialog.js',
  source: `
    let presses = 0;
    window.FB = {
      init() {},
      login(callback) {
        presses += 1;
        callback({ authResponse: presses === 1 ? null : { code: 'AQ-stand-in' } });
      },
    };`,
};

/** Stands between a page and the API, which it never reaches: answers are made of the OpenAPI document. The state can be changed at any time. */
export const standInFor = async (page: Page, state: ApiState): Promise<{ calls: { method: string; path: string; at: number }[] }> => {
  const calls: { method: string; path: string; at: number }[] = [];
  const json = (route: Route, body: unknown, status = 200): Promise<void> => route.fulfill({ status, json: body });
  await page.route('**/_local/**', (route) => {
    const path = new URL(route.request().url()).pathname.replace('/_local/', '');
    return state.calls === 'offline' ? route.abort('connectionfailed') : json(route, localAnswer(path, state, Date.now()));
  });
  await page.route(`**${dialogScript.path}`, (route) => route.fulfill({ contentType: 'text/javascript', body: dialogScript.source }));
  // where files are, and where they are put
  await page.route('**/console/icon.svg', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 200 }) : route.continue(),
  );
  await page.route('**/api/v1/**', async (route) => {
    const request = route.request();
    const { pathname, searchParams, origin } = new URL(request.url());
    const method = request.method();
    calls.push({ method, path: `${pathname}?${searchParams.toString()}`, at: Date.now() });
    const isFrame = pathname === '/api/v1/me';
    if (!isFrame && state.calls === 'offline') return route.abort('connectionfailed');
    if (!isFrame && state.calls === 'unanswered') return undefined;
    if (!isFrame && state.calls === 'failed')
      return json(route, { status: 'error', code: 'internal_error', message: 'The request failed on our side.', request_id: 'req_1' }, 500);
    const operation = operationAt(method, pathname);
    if (!operation) return json(route, { status: 'error', code: 'route_not_found', message: 'There is no such endpoint.' }, 404);
    const text = JSON.stringify(answerOf(operation, state.rows, Date.now()) ?? null).replaceAll(
      'https://example.com/file.png',
      `${origin}/console/icon.svg`,
    );
    const body = JSON.parse(text) as { data?: unknown };
    if (isFrame && typeof body.data === 'object') Object.assign(body.data ?? {}, { id: 1, company_id: 1, role: state.role });
    // nothing happens, and what is shown was read
    if (pathname === '/api/v1/sync' && typeof body.data === 'object')
      Object.assign(body.data ?? {}, { events: [], conversations: [], unlisted_ids: [], other_ids: [], thread: null });
    // no bell stands behind it, and an address that is made up would be one of this page
    if (pathname === '/api/v1/sessions/doorbell') body.data = { doorbell: null };
    if (pathname === '/api/v1/signups') Object.assign(body.data ?? {}, { script_url: `${origin}${dialogScript.path}` });
    // templates that the pages can change and take
    if (/^\/api\/v1\/templates\/\d+$/.test(pathname)) Object.assign(body.data ?? {}, { status: 'APPROVED', category: 'UTILITY' });
    if (pathname === '/api/v1/templates/library')
      for (const each of (body.data as { templates: object[] }).templates)
        Object.assign(each, { category: 'UTILITY', buttons: [{ type: 'URL', text: 'Track the order' }] });
    if (operation.status === 204) return route.fulfill({ status: 204 });
    return json(route, body, operation.status);
  });
  // signed in, as far as the page knows: the marker of console/data/signed-in.ts
  await page.addInitScript(
    `localStorage.setItem('switchboard.signed-in', '1.1'); localStorage.setItem('switchboard.language', 'en'); localStorage.removeItem('switchboard.direction')`,
  );
  return { calls };
};
