import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as z from 'zod';
import { templateRecord } from '../../functions/templates/contract/template.ts';
import type { TestCompany } from '../support/company.ts';
import type { Answer, Call } from '../support/gateway-event.ts';
import { startFixture } from '../messaging/fixture.ts';

/** What a call through the line meets. */
export type CallOutcome =
  | 'pass'
  /** The provider does it, and the connection breaks before its answer. */
  | 'lose-answer'
  /** The connection breaks before the request reaches the provider. */
  | 'lose-request'
  /** The provider takes it for another address: smaller pages than were requested. */
  | { path: string }
  /** The provider does it, and its answer comes after something else. */
  | { hold: () => Promise<unknown> }
  /** Another server answers. A text is the body as it is. */
  | { status: number; body: unknown; headers?: Record<string, string> };

interface ProviderCall {
  method: string;
  path: string;
  body: string;
}

/** The fixture with a line between product and provider, on which calls can be lost, answered otherwise, and counted. */
export const startTemplateFixture = async () => {
  let target = '';
  const calls: ProviderCall[] = [];
  let fateOf: (call: ProviderCall) => CallOutcome | Promise<CallOutcome> = () => 'pass';
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const call = { method: request.method ?? '', path: request.url ?? '', body };
      calls.push(call);
      void pass(call, request.headers.authorization ?? '', response);
    });
  });
  const pass = async (call: ProviderCall, authorization: string, response: ServerResponse): Promise<void> => {
    const fate = await fateOf(call);
    if (fate === 'lose-request') return void response.socket?.destroy();
    if (typeof fate === 'object' && 'status' in fate)
      return void response.writeHead(fate.status, fate.headers).end(typeof fate.body === 'string' ? fate.body : JSON.stringify(fate.body));
    const answer = await fetch(`${target}${typeof fate === 'object' && 'path' in fate ? fate.path : call.path}`, {
      method: call.method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(call.body ? { body: call.body } : {}),
    });
    const text = await answer.text();
    if (typeof fate === 'object' && 'hold' in fate) await fate.hold();
    if (fate === 'lose-answer') return void response.socket?.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text);
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fixture = await startFixture({ env: { PROVIDER_BASE_URL: url } });
  target = fixture.provider.url;

  const api = (company: TestCompany, method: Call['method'], path: string, more: Partial<Call> = {}): Promise<Answer> =>
    fixture.testApp.call({ method, path: `/api/v1/templates${path}`, token: company.tokens.member, ...more });

  return {
    ...fixture,
    calls,
    creates: () => calls.filter(({ method }) => method === 'POST').length,
    /** What further calls meet; without a rule they pass. */
    line: (rule?: (call: ProviderCall) => CallOutcome | Promise<CallOutcome>): void => {
      calls.length = 0;
      fateOf = rule ?? (() => 'pass');
    },
    api,
    create: (company: TestCompany, body: Record<string, unknown>, key?: string): Promise<Answer> =>
      api(company, 'POST', '', { body, ...(key ? { headers: { 'idempotency-key': key } } : {}) }),
    /** The `template.status` events of a company. */
    statusUpdate: (company: TestCompany): unknown[] =>
      fixture.testApp.events
        .filter(({ name, detail }) => name === 'template.status' && detail['company_id'] === company.id)
        .map(({ detail }) => detail['data']),
    /** Templates at the provider, made or changed behind the product's back. */
    atProvider: async (company: TestCompany, templates: readonly Record<string, unknown>[], notify = false): Promise<{ id: string }[]> => {
      const answer = await fixture.provider.control('PUT', '/_local/provider/templates', {
        waba_id: company.number.wabaId,
        templates,
        notify,
      });
      return z.object({ data: z.array(z.looseObject({ id: z.string() })) }).parse(answer?.body).data;
    },
    /** A call of the provider's API that bypasses the product: as in the provider's manager. */
    manage: async (company: TestCompany, method: string, query: string): Promise<unknown> => {
      const answer = await fetch(`${target}/v19.0/${company.number.wabaId}/message_templates?${query}`, {
        method,
        headers: { authorization: `Bearer token-of-company-${company.id}` },
      });
      return answer.json();
    },
    stop: async (): Promise<void> => {
      await fixture.stop();
      server.closeAllConnections();
      server.close();
    },
  };
};
/** The provider gives ten a page, however many are requested. */
export const tenPerPage = ({ path }: ProviderCall): CallOutcome => ({ path: path.replace('limit=100', 'limit=10') });

export type TemplateFixture = Awaited<ReturnType<typeof startTemplateFixture>>;

const single = z.strictObject({ status: z.literal('success'), message: z.string().min(1), data: templateRecord.strict() });
const many = z.looseObject({
  data: z.array(templateRecord.strict()),
  meta: z.object({ total: z.int(), current_page: z.int(), last_page: z.int(), per_page: z.int(), next_cursor: z.string().nullable() }),
});
const counts = z.object({
  data: z.strictObject({ synced_count: z.int(), created_count: z.int(), updated_count: z.int(), removed_count: z.int() }),
});

export const templateOf = (answer: Answer) => single.parse(ok(answer).body).data;
export const templatesOf = (answer: Answer) => many.parse(ok(answer).body);
/** `[synced, created, updated, removed]`. */
export const countsOf = (answer: Answer): number[] => Object.values(counts.parse(ok(answer).body).data);

/** `[status, code, fields...]`. */
export const refusalOf = (answer: Answer): (string | number)[] => {
  const { code, errors } = z
    .looseObject({ code: z.string(), errors: z.record(z.string(), z.array(z.string())).optional() })
    .parse(answer.body);
  return [answer.status, code, ...Object.keys(errors ?? {})];
};

function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.raw}`);
  return answer;
}

/** A good template; `over` replaces fields. */
export const orderUpdate = (over: Record<string, unknown> = {}): Record<string, unknown> => ({
  name: 'order_update',
  language: 'en',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} has shipped.', example: { body_text: [['Ada', 'A-1']] } }],
  ...over,
});

export const helloWorld = { name: 'hello_world', language: 'en_US', category: 'UTILITY', components: [{ type: 'BODY', text: 'Hello!' }] };

export const providerError = (code: number, subcode?: number) => ({
  error: { code, message: 'x', ...(subcode ? { error_subcode: subcode } : {}) },
});
