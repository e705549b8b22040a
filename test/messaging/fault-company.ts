import * as z from 'zod';
import { inboundText, providerEnvelope, providerPost, type TestCompany } from '../support/company.ts';
import type { Call } from '../support/gateway-event.ts';
import type { Unread } from './fault-conversations.ts';
import { picture, template } from './fault-operations.ts';
import type { CustomerMessage } from './fault-run.ts';
import type { Fixture } from './fixture.ts';

/** A company with what its sends need: an approved template, and a file to be sent by its id. */
export interface FaultCompany extends TestCompany {
  mediaId: string;
  /** A file at the provider, for inbound images. */
  pictureId: string;
  unread: Unread;
}

export const faultCompany = async (fixture: Fixture): Promise<FaultCompany> => {
  const company = await fixture.company();
  await fixture.templates(company, [template]);
  const announced = await fixture.testApp.call({
    method: 'POST',
    path: '/api/v1/media/uploads',
    token: company.tokens.member,
    body: { filename: 'picture.png', content_type: 'image/png', size: picture.length },
  });
  const { data } = z
    .object({ data: z.object({ media_id: z.string(), upload_url: z.string(), headers: z.record(z.string(), z.string()) }) })
    .parse(announced.body);
  await fetch(data.upload_url, { method: 'PUT', headers: data.headers, body: new Uint8Array(picture) });
  const form = new FormData();
  form.set('messaging_product', 'whatsapp');
  form.set('file', new Blob([new Uint8Array(picture)], { type: 'image/png' }), 'picture.png');
  const stored = await fetch(`${fixture.provider.url}/v19.0/${company.number.phoneNumberId}/media`, {
    method: 'POST',
    headers: { authorization: `Bearer token-of-company-${company.id}` },
    body: form,
  });
  return { ...company, mediaId: data.media_id, pictureId: z.object({ id: z.string() }).parse(await stored.json()).id, unread: new Map() };
};

/** A message of a contact to the company, and the provider's webhook of it. */
export const customerMessage = (
  company: FaultCompany,
  from: string,
  seed: number,
  op: number,
  kind: CustomerMessage['kind'],
): { written: CustomerMessage; post: Call } => {
  const wamid = `wamid.in-${seed}-${op}`;
  const written: CustomerMessage = { seed, company, from, wamid, kind };
  if (kind === 'text' || kind === 'stop')
    return { written, post: inboundText(company, { from, id: wamid, text: kind === 'stop' ? 'STOP' : wamid }) };
  const content =
    kind === 'image'
      ? { type: 'image', image: { id: company.pictureId, mime_type: 'image/png', caption: wamid } }
      : { type: 'interactive', interactive: { type: 'button_reply', button_reply: { id: 'btn_1', title: 'Yes' } } };
  const message = { from, id: wamid, timestamp: String(Math.floor(Date.now() / 1_000)), ...content };
  const value = { contacts: [{ profile: { name: 'A Person' }, wa_id: from }], messages: [message] };
  return { written, post: providerPost(company, providerEnvelope(company, value)) };
};
