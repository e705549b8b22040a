import { answer, mapOk } from '../../../shared/http/reply.ts';
import { serve } from '../../../shared/http/serve.ts';
import { customReceiverRoutes } from '../contract/receivers.ts';
import { receiveCustom } from '../service/custom-receiver.ts';

export const handler = serve(customReceiverRoutes, {
  receiveCustom: async ({ caller, rawBody, headers }) =>
    mapOk(await receiveCustom({ caller, raw: rawBody, headers }), (result) =>
      'ignored' in result
        ? answer(200, { success: true as const, ...result })
        : answer(200, {
            success: true as const,
            message: result.message,
            data: { order_id: result.order.id, order_number: result.order.number, status: result.order.status, created: result.created },
          }),
    ),
});
