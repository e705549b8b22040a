import { isProblem } from '../../shared/contract/problems.ts';
import { answer, listed } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { now } from '../../shared/runtime/clock.ts';
import { conversationRoutes } from './contract.ts';
import { conversationMessages, listConversations } from './service.ts';
import { conversationView, messageView } from './view.ts';

export const handler = serve(conversationRoutes, {
  listConversations: async (request) => {
    const page = await listConversations(request.caller.companyId, request.query);
    return isProblem(page)
      ? page
      : listed(request, { ...page, items: page.items.map((row) => conversationView(row, now())) }, 'Conversations.');
  },
  listConversationMessages: async ({ caller, params, query }) => {
    const limit = query.limit ?? query.per_page ?? 50;
    const page = await conversationMessages(caller.companyId, params.id, {
      limit,
      beforeId: query.before_id,
      newerThanMs: query.lastmessagetime,
    });
    if (isProblem(page)) return page;
    const meta = { per_page: limit, has_more: page.nextBeforeId !== undefined, next_before_id: page.nextBeforeId ?? null };
    return answer(200, { data: page.messages.map(messageView), meta, status: 'success' as const, message: 'Messages.' });
  },
});
