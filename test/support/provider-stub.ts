import { createServer, type IncomingMessage } from 'node:http';

export interface ProviderRequest {
  method: string;
  path: string;
  body: Record<string, unknown>;
  token: string;
  /** The id given to the message, when it was accepted. */
  wamid?: string;
}

export interface ProviderAnswer {
  status: number;
  body: unknown;
}

/** A provider that accepts every message, for tests that are about something else; the simulator in lib/local is the true-to-life one. */
export interface ProviderStub extends AsyncDisposable {
  url: string;
  requests: ProviderRequest[];
  /** Answers the next requests in place of accepting them; `undefined` accepts. */
  answering: (answer: ((request: ProviderRequest) => ProviderAnswer | undefined) | undefined) => void;
  stop: () => Promise<void>;
}

export const startProviderStub = async (): Promise<ProviderStub> => {
  const requests: ProviderRequest[] = [];
  let answer: ((request: ProviderRequest) => ProviderAnswer | undefined) | undefined;
  const server = createServer((incoming, response) => {
    void read(incoming).then((raw) => {
      const request = {
        method: incoming.method ?? 'GET',
        path: incoming.url ?? '',
        // a file comes as a form, or as it is
        body: (incoming.headers['content-type']?.startsWith('application/json') ? JSON.parse(raw || '{}') : {}) as Record<string, unknown>,
        token: incoming.headers.authorization ?? '',
      };
      requests.push(request);
      const { status, body } = answer?.(request) ?? accepted(request, requests.length);
      const { messages } = body as { messages?: { id: string }[] };
      if (messages?.[0]) Object.assign(request, { wamid: messages[0].id });
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    requests,
    answering: (given) => {
      answer = given;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
};

/** Links of a number: none is listed, and each that is made or changed has one code. */
const linkAnswer = (method: string): unknown =>
  method === 'POST'
    ? { code: 'ABCDEFGHIJKLM1', prefilled_message: 'Hello', deep_link_url: 'https://wa.me/message/ABCDEFGHIJKLM1' }
    : method === 'GET'
      ? { data: [] }
      : { success: true };

const isUnknownCode = (path: string): boolean => {
  const { pathname, searchParams } = new URL(path, 'http://stub');
  return pathname.endsWith('/oauth/access_token') && !/^\d{1,15}$/.test(searchParams.get('code') ?? '');
};

/** A code of digits is for an account and a number of these digits, of an app of its own. */
const signupToken = 'token-of-signup-';
function signupAnswer(path: string, token: string): unknown {
  const url = new URL(path, 'http://stub');
  const of = (url.searchParams.get('input_token') ?? token).split(signupToken)[1];
  if (url.pathname.endsWith('/oauth/access_token')) return { access_token: `${signupToken}${url.searchParams.get('code')}` };
  if (url.pathname.endsWith('/debug_token')) {
    const granular_scopes = [{ scope: 'whatsapp_business_management', target_ids: [`83${of}`] }];
    return { data: { app_id: signupAppId, is_valid: true, granular_scopes } };
  }
  if (of === undefined) return undefined;
  if (url.pathname.endsWith('/phone_numbers'))
    return { data: [{ id: `73${of}`, display_phone_number: `+1 556 ${of}`, status: 'PENDING' }] };
  return url.pathname.endsWith('/app') ? { id: signupAppId } : undefined;
}
/** The app of signups. */
export const signupAppId = '1040000000000002';

/** Begins the secret of an app that the provider takes for this app alone. */
export const secretOfApp = (appId: string): string => `${secretStart}${appId}:`;
const secretStart = 'the one secret of app ';
const isSecretOfAnotherApp = (path: string, token: string): boolean => {
  const [, appId = ''] = /\/(\d+)\/subscriptions/.exec(path) ?? [];
  const [, secret = ''] = token.split('|');
  return secret.startsWith(secretStart) && !secret.startsWith(secretOfApp(appId));
};

function accepted({ method, path, body, token }: ProviderRequest, count: number): ProviderAnswer {
  if (isSecretOfAnotherApp(path, token)) return { status: 401, body: { error: { code: 190, message: 'Invalid OAuth access token.' } } };
  if (isUnknownCode(path)) return { status: 400, body: { error: { code: 100, message: 'This authorization code is invalid.' } } };
  const ofSignup = signupAnswer(path, token);
  if (ofSignup !== undefined) return { status: 200, body: ofSignup };
  if (/\/message_templates(\?|$)/.test(path)) return { status: 200, body: templateAnswer(method, count) };
  if (/\/message_template_library(\?|$)/.test(path))
    return {
      status: 200,
      body: { data: [{ name: 'delivery_update_1', language: 'en_US', category: 'UTILITY', body: 'It is on its way.' }] },
    };
  if (/\/template_analytics\?/.test(path)) return { status: 200, body: analyticsAnswer(path) };
  // a change of a template, or the end of its pause
  if (method === 'POST' && /\/2\d{6}(\/unpause)?$/.test(path)) return { status: 200, body: { success: true } };
  if (/\/app(\?|$)/.test(path)) return { status: 200, body: { id: '1040000000000001' } };
  if (/\/(subscriptions|subscribed_apps)(\?|$)/.test(path))
    return { status: 200, body: method === 'GET' ? { data: [] } : { success: true } };
  if (/\/whatsapp_business_profile/.test(path))
    return { status: 200, body: method === 'GET' ? { data: [{ about: 'Open' }] } : { success: true } };
  if (/\/username(\?|$)/.test(path)) return { status: 200, body: method === 'POST' ? { status: 'reserved' } : {} };
  if (/\/conversational_automation/.test(path)) return { status: 200, body: { success: true } };
  if (/\/message_qrdls/.test(path)) return { status: 200, body: linkAnswer(method) };
  if (path.endsWith('/media')) return { status: 200, body: { id: String(3_000_000 + count) } };
  const to = typeof body['to'] === 'string' ? body['to'] : '';
  return {
    status: 200,
    body: {
      messaging_product: 'whatsapp',
      contacts: [{ input: to, wa_id: to }],
      messages: [{ id: `wamid.${Buffer.from(`stub-${process.pid}-${count}`).toString('base64url')}` }],
    },
  };
}

/** On the first day that is requested the template was sent to three. */
function analyticsAnswer(path: string): unknown {
  const { searchParams } = new URL(path, 'http://stub');
  const [template_id] = /\d+/.exec(searchParams.get('template_ids') ?? '') ?? [];
  const start = Number(searchParams.get('start'));
  const point = { template_id, start, end: start + 86_400, sent: 3, delivered: 2, read: 1 };
  const clicked = [{ type: 'quick_reply_button', button_content: 'Yes', count: 1 }];
  const cost = [{ type: 'amount_spent', value: 0.03 }];
  return { data: [{ granularity: 'DAILY', product_type: 'cloud_api', data_points: [{ ...point, clicked, cost }] }], paging: {} };
}

/** One template is there, and every create and delete is done. */
function templateAnswer(method: string, count: number): unknown {
  if (method === 'DELETE') return { success: true };
  if (method === 'POST') return { id: String(1_000_000 + count), status: 'PENDING', category: 'UTILITY' };
  const components = [{ type: 'BODY', text: 'Hello.' }];
  return { data: [{ id: '1000000', name: 'hello_world', language: 'en_US', status: 'APPROVED', category: 'UTILITY', components }] };
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
