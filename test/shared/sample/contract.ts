import * as z from 'zod';
import { success } from '../../../shared/contract/envelope.ts';
import { id, pathId, text } from '../../../shared/contract/fields.ts';
import { queue } from '../../../shared/contract/queue.ts';
import { route } from '../../../shared/contract/route.ts';

/** A small product for the tests of the house itself: two routes, a receiver, a queue with its worker. */
const note = success(z.object({ id: z.int(), text: z.string(), operation_id: z.string() }));

export const sampleRoutes = {
  createNote: route({
    method: 'POST',
    path: '/api/v1/notes',
    aliases: ['/v1/notes'],
    summary: 'Writes a note',
    caller: { kind: 'token', scope: 'contacts:write', role: 'member' },
    limit: 'write',
    effect: 'write',
    body: z.object({
      text: text(20, 1),
      fail: z.enum(['throw', 'reject', 'settle']).optional(),
      nth: id.optional(),
      draws: z.boolean().optional(),
    }),
    answers: { 200: note },
    errors: ['validation_failed', 'conflict', 'provider_rejected'],
  }),
  readNote: route({
    method: 'GET',
    path: '/api/v1/notes/{id}',
    summary: 'Reads a note',
    caller: { kind: 'token', scope: 'contacts:read', role: 'viewer' },
    limit: 'read',
    effect: 'read',
    params: z.object({ id: pathId }),
    query: z.looseObject({}),
    answers: { 200: note },
    errors: ['not_found'],
    deprecated: { successor: '/api/v1/notes' },
  }),
  openNote: route({
    method: 'GET',
    path: '/api/v1/open',
    summary: 'Needs no token',
    caller: { kind: 'public' },
    limit: 'public',
    effect: 'read',
    answers: { 200: success(z.object({ open: z.literal(true) })) },
    errors: [],
  }),
};

export const noteQueue = queue({
  name: 'sample-notes',
  purpose: 'Notes to be worked off',
  workSeconds: 5,
  maxReceives: 3,
  message: z.object({ note: z.string() }),
});
