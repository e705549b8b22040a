import * as z from 'zod';
import { cursorMeta, success } from '../../../shared/contract/envelope.ts';
import { pathId, text } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';
import { mostOfNumber as most } from '../domain/number-limits.ts';

/** A link by which a customer begins a conversation with a number, and its QR code. The provider has them; at most 2,000 a number. */
export const numberLink = z
  .object({
    code: z.string().meta({ description: 'The code of the link at the provider.' }),
    message: z.string().meta({ description: 'The text that stands in the message field of who opens it.' }),
    url: z.string().meta({ description: 'The short link, `https://wa.me/message/<code>`.' }),
    qr_image_url: z
      .string()
      .nullable()
      .meta({ description: 'The QR code as an image, for some time; null where the provider gives none.' }),
  })
  .meta({ id: 'NumberLink', description: 'A short link to a number, with its QR code.' });
export type NumberLink = z.output<typeof numberLink>;

const message = text(most.linkMessage, 1).meta({
  description: 'The text that stands in the message field of who opens the link, up to 140 characters.',
});
const linkBody = z.object({
  message,
  qr_image: z.enum(['PNG', 'SVG'], { error: 'Must be PNG or SVG.' }).default('PNG').meta({ description: 'The format of the QR code.' }),
});
export type NumberLinkInput = z.output<typeof linkBody>;

const linksQuery = z.object({
  cursor: text(2_000, 1).optional().meta({ description: 'meta.next_cursor of the page before.' }),
});

const manager = { kind: 'token', scope: 'account:manage', role: 'admin' } as const;
const reader = { kind: 'token', scope: 'account:read', role: 'viewer' } as const;
const path = '/api/v1/numbers/{id}/links';
const ofNumber = z.object({ id: pathId.meta({ description: 'The id of the number.' }) });
const ofLink = ofNumber.extend({
  code: text(40, 1)
    .regex(/^[A-Za-z0-9]+$/, { error: 'Must be the code of a link.' })
    .meta({ description: 'The code of the link.' }),
});
const failures = ['not_found', 'provider_rejected', 'temporarily_unavailable'] as const;

export const numberLinkRoutes = {
  listNumberLinks: route({
    method: 'GET',
    path,
    summary: 'List the short links of a number',
    description: 'The links and QR codes of the number at the provider, up to 100 a page.',
    caller: reader,
    params: ofNumber,
    query: linksQuery,
    answers: { 200: success(z.array(numberLink)).extend({ meta: cursorMeta }) },
    errors: [...failures, 'validation_failed', 'invalid_cursor'],
  }),
  createNumberLink: route({
    method: 'POST',
    path,
    summary: 'Create a short link to a number',
    description:
      'A link and a QR code that open a conversation with the number, with a text to send: so that a customer begins it, which opens the window. A link with the same text is given again, not made twice.',
    caller: manager,
    params: ofNumber,
    body: linkBody.meta({ id: 'CreateNumberLinkRequest' }),
    answers: { 200: success(numberLink) },
    errors: [...failures, 'validation_failed'],
  }),
  updateNumberLink: route({
    method: 'PUT',
    path: `${path}/{code}`,
    summary: 'Change the text of a short link',
    description: 'The link and its QR code stay the same, also where they are printed.',
    caller: manager,
    params: ofLink,
    body: z.object({ message }).meta({ id: 'UpdateNumberLinkRequest' }),
    answers: { 200: success(numberLink) },
    errors: [...failures, 'validation_failed'],
  }),
  deleteNumberLink: route({
    method: 'DELETE',
    path: `${path}/{code}`,
    summary: 'Delete a short link',
    description: 'The link and its QR code lead to no message any more.',
    caller: manager,
    params: ofLink,
    answers: { 200: success(z.object({ code: z.string() })) },
    errors: failures,
  }),
};
