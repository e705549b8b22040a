import * as z from 'zod';
import { cursorMeta } from '../../../shared/contract/envelope.ts';
import { text, timestamp, wholeNumber } from '../../../shared/contract/fields.ts';
import { route } from '../../../shared/contract/route.ts';

/** The receivers whose posts are recorded: those that change something. */
export const recordingReceivers = ['storeplatform', 'webshop', 'logistics', 'checkout', 'custom'] as const;
export const postOutcomes = ['queued', 'applied', 'ignored', 'refused'] as const;

/** A post to a receiver, as it is stored for a week. Times are epoch milliseconds. */
export const storedReceiverPost = z.object({
  companyId: z.int(),
  /** A ULID: ids are in the order of time. */
  id: z.string(),
  at: z.int(),
  receiver: z.enum(recordingReceivers),
  credentialId: z.int(),
  outcome: z.enum(postOutcomes),
  topic: z.string().max(100).optional(),
  /** What it is about, as the shop names it: an order's number, a product's name. */
  about: z.string().max(200).optional(),
  /** The code of the problem. */
  code: z.string().optional(),
  fields: z.array(z.string().max(300)).max(20).optional(),
  isUnsigned: z.literal(true).optional(),
  /** The delivery whose mark says when it was applied. */
  deliveryKey: z.string().optional(),
});
export type ReceiverPost = z.output<typeof storedReceiverPost>;

export const receiverPostRecord = z
  .object({
    id: z.string().meta({ description: 'The id of the post.' }),
    receiver: z.enum(recordingReceivers).meta({ description: 'Which receiver it came to; custom: the one of an ERP token.' }),
    credential_id: z.int().meta({ description: 'The id of the token in its address, as in listMachineTokens.' }),
    topic: z.string().nullable().meta({ description: 'The topic that the post named, or null.' }),
    about: z.string().nullable().meta({ description: 'What it is about: the number of an order, the name of a product; or null.' }),
    outcome: z.enum(postOutcomes).meta({
      description:
        'queued: taken, and applied within seconds. applied: its order was changed at once. ignored: it changes nothing. refused: it was answered with a problem.',
    }),
    code: z.string().nullable().meta({ description: 'The code of the problem that refused it, or null.' }),
    fields: z.array(z.string()).meta({ description: 'The fields that were refused.' }),
    is_signed: z.boolean().meta({ description: 'Whether a secret of the receiver signed it.' }),
    received_at: timestamp.meta({ description: 'When it came.' }),
    applied_at: timestamp.nullable().meta({ description: 'When its changes were made, or null while they wait.' }),
  })
  .meta({ id: 'ReceiverPost', description: 'A post of a store, a carrier or an own system, and what became of it.' });
export type ReceiverPostRecord = z.output<typeof receiverPostRecord>;

export const receiverPostQuery = z.object({
  receiver: z
    .enum(recordingReceivers, { error: `Must be one of ${recordingReceivers.join(', ')}.` })
    .optional()
    .meta({ description: 'Only posts to this receiver.' }),
  outcome: z
    .enum(postOutcomes, { error: `Must be one of ${postOutcomes.join(', ')}.` })
    .optional()
    .meta({ description: 'Only posts with this outcome.' }),
  limit: wholeNumber(1, 100).default(50).meta({ description: 'Posts per page.' }),
  cursor: text(2_000, 1).optional().meta({ description: 'meta.next_cursor of the page before.' }),
});
export type ReceiverPostQuery = z.output<typeof receiverPostQuery>;

export const receiverPostRoutes = {
  listReceiverPosts: route({
    method: 'GET',
    path: '/api/v1/shop/receiver-posts',
    summary: 'List posts to receivers: what was taken and refused',
    description:
      'The posts of stores, carriers, checkouts and own systems in the last seven days, newest first, with what became of each. The bodies are not in it, and neither are posts beyond a limit nor those to an address that is revoked. With a filter a page may have fewer posts than its limit, and more behind it.',
    caller: { kind: 'token', scope: 'shop:read', role: 'admin' },
    limit: 'shop_read',
    query: receiverPostQuery,
    answers: {
      200: z.object({
        status: z.literal('success'),
        message: z.string(),
        data: z.array(receiverPostRecord),
        meta: cursorMeta,
      }),
    },
    errors: ['validation_failed', 'invalid_cursor'],
  }),
};
