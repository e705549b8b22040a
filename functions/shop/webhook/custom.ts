import { answer } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { customRoutes } from '../contract/webhook.ts';
import { unlessRefused } from '../http/replies.ts';
import { receiveCustom } from '../service/custom.ts';

export const handler = serve(customRoutes, {
  receiveCustom: async ({ caller, rawBody, headers }) =>
    unlessRefused(await receiveCustom({ caller, raw: rawBody, headers }), (result) =>
      result === 'ignored'
        ? answer(200, { success: true as const, ignored: true as const, message: 'Nothing follows from this event.' })
        : answer(200, {
            success: true as const,
            message: result.message,
            data: { order_id: result.order.id, order_number: result.order.number, status: result.order.status, created: result.created },
          }),
    ),
});
