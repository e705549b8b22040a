import { problem } from '../../../shared/contract/problems.ts';
import { ok } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { sampleRoutes } from './contract.ts';

/** How often the operation ran, by its id. */
export const runs: string[] = [];
/** Held while set: lets a test look at a request that is still running. */
export const gate: { wait: Promise<void> | undefined } = { wait: undefined };

export const handler = serve(sampleRoutes, {
  createNote: async ({ body, operationId, once }) => {
    runs.push(operationId);
    await gate.wait;
    if (body.fail === 'throw') throw new Error('The operation broke.');
    if (body.fail === 'reject') return problem('conflict');
    if (body.fail === 'settle') return problem('provider_rejected');
    const id = body.draws ? await once('id', () => runs.length) : runs.length;
    return ok({ id, text: body.text, operation_id: operationId }, 'Note written.');
  },
  readNote: async ({ params }) => (params.id === 1 ? ok({ id: 1, text: 'one', operation_id: 'none' }, 'The note.') : problem('not_found')),
  openNote: async () => ok({ open: true as const }, 'Open.'),
});
