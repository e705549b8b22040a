import { isProblem, type Problem } from '../../shared/contract/problems.ts';
import { mapOk, answer, okDeleted, okPage, ok } from '../../shared/http/reply.ts';
import { serve } from '../../shared/http/serve.ts';
import { now } from '../../shared/runtime/clock.ts';
import { conversationRoutes } from './contract/route.ts';
import { deleteCannedReply, listCannedReplies, setCannedReply } from './service/canned-replies.ts';
import { listConversationMessages } from './service/conversation-messages.ts';
import {
  bulkUpdateConversations,
  type ConversationRow,
  getConversation,
  readConversation,
  updateConversation,
} from './service/conversations.ts';
import { getInboxCounts, listConversations } from './service/list-conversations.ts';
import { getInboxReport } from './service/inbox-report.ts';
import { createConversationNote, deleteConversationNote, listConversationNotes, updateConversationNote } from './service/notes.ts';
import { setPresence } from './service/presence.ts';
import { getSync } from './service/sync.ts';
import { getKeywords, setKeywords } from '../messaging/service/keywords.ts';
import { messageView } from '../messaging/service/message-views.ts';
import { conversationView, syncView } from './service/views.ts';

const shown = <P extends Problem>(row: ConversationRow | P, message: string) =>
  isConversation(row) ? ok(conversationView(row, now()), message) : row;

/** Notes that are shown with messages. */
const notesWithMessages = 100;

const isConversation = <P extends Problem>(row: ConversationRow | P): row is ConversationRow => 'summary' in row;

export const handler = serve(conversationRoutes, {
  listConversations: async (request) => {
    const page = await listConversations(request.caller.companyId, request.caller.userId, request.query);
    return isProblem(page)
      ? page
      : okPage(request, { ...page, items: page.items.map((row) => conversationView(row, now())) }, 'Conversations.');
  },
  getInboxCounts: async ({ caller }) => ok(await getInboxCounts(caller.companyId, caller.userId), 'Inbox counts.'),
  getInboxReport: async ({ caller, query }) =>
    mapOk(await getInboxReport(caller.companyId, query), (report) => ok(report, 'The report of the inbox.')),
  getConversation: async ({ caller, params }) => shown(await getConversation(caller.companyId, params.id), 'Conversation.'),
  listConversationMessages: async ({ caller, params, query }) => {
    const limit = query.limit ?? query.per_page ?? 50;
    const [page, listed] = await Promise.all([
      listConversationMessages(caller.companyId, params.id, {
        limit,
        beforeId: query.before_id,
        newerThanMs: query.lastmessagetime,
        search: query.search,
      }),
      query.notes ? listConversationNotes(caller.companyId, params.id, { limit: notesWithMessages }) : undefined,
    ]);
    if (isProblem(page)) return page;
    if (listed && isProblem(listed)) return listed;
    const meta = { per_page: limit, has_more: page.nextBeforeId !== undefined, next_before_id: page.nextBeforeId ?? null };
    const data = await Promise.all(page.messages.map(messageView));
    return answer(200, { data, ...(listed ? { notes: listed.notes } : {}), meta, status: 'success' as const, message: 'Messages.' });
  },
  readConversation: async ({ caller, params }) => shown(await readConversation(caller.companyId, params.id), 'Conversation read.'),
  updateConversation: async ({ caller, params, body }) => shown(await updateConversation(caller, params.id, body), 'Conversation updated.'),
  bulkUpdateConversations: async ({ caller, body }) =>
    mapOk(await bulkUpdateConversations(caller, body), (updated) => ok(updated, 'The conversations were updated.')),
  listConversationNotes: async ({ caller, params, query }) =>
    mapOk(await listConversationNotes(caller.companyId, params.id, query), ({ notes, nextBeforeId }) => {
      const meta = { per_page: query.limit, has_more: nextBeforeId !== undefined, next_before_id: nextBeforeId ?? null };
      return answer(200, { data: notes, meta, status: 'success' as const, message: 'Notes.' });
    }),
  createConversationNote: async ({ caller, params, body, once }) =>
    mapOk(await createConversationNote(caller, params.id, body, once), (note) => ok(note, 'Note added.')),
  updateConversationNote: async ({ caller, params, body }) =>
    mapOk(await updateConversationNote(caller.companyId, params.id, params.note_id, body.body), (note) => ok(note, 'Note updated.')),
  deleteConversationNote: async ({ caller, params }) =>
    mapOk(await deleteConversationNote(caller.companyId, params.id, params.note_id), ({ id }) => okDeleted(id, 'Note deleted.')),
  listCannedReplies: async ({ caller }) => ok(await listCannedReplies(caller.companyId), 'Canned replies.'),
  setCannedReply: async ({ caller, params, body }) =>
    mapOk(await setCannedReply(caller.companyId, params.shortcut, body.text), (reply) => ok(reply, 'Canned reply set.')),
  deleteCannedReply: async ({ caller, params }) =>
    mapOk(await deleteCannedReply(caller.companyId, params.shortcut), (reply) => ok(reply, 'Canned reply deleted.')),
  setPresence: async ({ caller, params, body }) =>
    mapOk(await setPresence(caller, params.id, body.state), (presence) => ok(presence, 'Presence.')),
  getSync: async ({ caller, query }) => {
    const sync = await getSync(caller, query);
    const meta = { has_more: sync.page.hasMore, next_cursor: sync.page.nextCursor };
    const data = await syncView(sync, query.conversation_id, now());
    return answer(200, { status: 'success' as const, message: 'What happened since.', data, meta });
  },
  getKeywords: async ({ caller }) => ok(await getKeywords(caller.companyId), 'Opt-out and opt-in keywords.'),
  setKeywords: async ({ caller, body }) => {
    const keywords = await setKeywords(caller.companyId, body);
    return isProblem(keywords) ? keywords : ok(keywords, 'Opt-out and opt-in keywords set.');
  },
});
