import type { TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';

/** Every kind of send, as a client makes it; each carries a token of its own, by which the provider's ledger is searched. */
export const sendKinds = [
  'text',
  'link',
  'upload',
  'file',
  'buttons',
  'link-button',
  'list',
  'template',
  'text-by-get',
  'text-later',
  'template-later',
] as const;
export type SendKind = (typeof sendKinds)[number];

export interface SendOperation {
  kind: SendKind;
  company: TestCompany;
  phone: string;
  /** `s12-3;` */
  token: string;
  /** For those that go later, ISO. */
  at: string;
  /** An upload of the company, for `file`. */
  mediaId: string;
}

/** The request of a send under its Idempotency-Key: the same each time it is made. */
export const sendCall = async (op: SendOperation): Promise<Call> => {
  const { kind, company, phone, token, at, mediaId } = op;
  const headers = { 'idempotency-key': token };
  const call = (path: string, body: unknown): Call => ({ method: 'POST', path, token: company.tokens.member, headers, body });
  switch (kind) {
    case 'text':
      return call(textPath, { phone, message: token });
    case 'text-later':
      return call(textPath, { phone, message: token, scheduled_at: at });
    case 'link':
      return call(textPath, { phone, message: token, media_url: 'http://files.example.com/photo.jpg' });
    case 'file':
      return call(textPath, { phone, message: token, media_id: mediaId });
    case 'buttons':
      return call(textPath, { phone, message: token, buttons: [{ title: 'Yes' }, { title: 'No' }] });
    case 'link-button':
      return call(textPath, { phone, message: token, button_name: 'Open', button_url: 'https://example.com/a' });
    case 'list':
      return call('/api/v1/messages/list', {
        phone,
        message: token,
        action: { button: 'Pick', sections: [{ rows: [{ id: 'r1', title: 'One' }] }] },
      });
    case 'template':
      return call('/api/v1/messages/template', { phone, template_name: template.name, variables: [token] });
    case 'template-later':
      return call('/api/v1/messages/template', { phone, template_name: template.name, variables: [token], scheduled_at: at });
    case 'text-by-get':
      return { method: 'GET', path: textPath, token: company.tokens.member, headers, query: { phone, message: token } };
    case 'upload': {
      const form = new FormData();
      form.set('phone', phone);
      form.set('message', token);
      form.set('image', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png');
      const request = new Request('http://x/', { method: 'POST', body: form });
      const type = request.headers.get('content-type') ?? '';
      return {
        ...call(textPath, Buffer.from(await request.arrayBuffer())),
        headers: { ...headers, 'content-type': type },
      };
    }
  }
};

/** The token of what the provider was sent; undefined: it is of another test. */
export const tokenIn = (payload: unknown): string | undefined => /s\d+-\d+;/.exec(JSON.stringify(payload))?.[0];

export const template = {
  name: 'fault_run',
  language: 'en',
  category: 'UTILITY',
  status: 'APPROVED',
  components: [{ type: 'BODY', text: 'Hi {{1}} and goodbye.', example: { body_text: [['Ada']] } }],
};

const textPath = '/api/v1/messages/text';
export const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.alloc(100, 7)]);
