import { expect, test } from 'vitest';
import { isShownBy as isShownInConsole } from '../../console/data/conversation-lists.ts';
import { inboxViews } from '../../functions/conversations/contract/inbox.ts';
import { defined } from '../../shared/runtime/defined.ts';
import { filterOfView, isChosen, isShownBy } from '../../functions/conversations/domain/conversation.ts';

test('the console puts a conversation that changed into the very views in which the API lists it', () => {
  const me = 5;
  for (const status of ['open', 'closed'] as const)
    for (const unread of [0, 1, 3])
      for (const assignedTo of [undefined, me, 6])
        for (const onlyAutomatic of [undefined, true])
          for (const snoozedUntil of [undefined, 1_800_000_000_000]) {
            const stored = { status, unread, ...defined({ assignedTo, onlyAutomatic, snoozedUntil }) };
            const shown = {
              status,
              unread_count: unread,
              assigned_to: assignedTo ?? null,
              is_automatic: onlyAutomatic === true,
              snoozed_until: snoozedUntil === undefined ? null : new Date(snoozedUntil).toISOString(),
              window: { number_id: null },
              last_message: { is_message_by_contact: 0 },
            };
            const viewsOf = (isOf: (view: (typeof inboxViews)[number]) => boolean): string[] => inboxViews.filter(isOf);
            expect(viewsOf((view) => isShownInConsole(shown, view, me))).toEqual(
              viewsOf((view) => isShownBy(stored, filterOfView(view, me))),
            );
            // the views that show one user's conversations or none's are of their own
            for (const view of ['open', 'unread', 'closed'] as const)
              expect(isShownInConsole(shown, view, me, { of: 6 })).toBe(isShownBy(stored, { ...filterOfView(view, me), assignedTo: 6 }));
          }
});

test('and into the lists of a number, and of who waits for an answer', () => {
  const states = { status: 'open', unread_count: 1, assigned_to: null, is_automatic: false, snoozed_until: null } as const;
  for (const lastNumberId of [undefined, 1, 2])
    for (const lastInboundId of [undefined, 7, 8])
      for (const numberId of [undefined, 1, 2])
        for (const waiting of [undefined, true, false]) {
          const stored = { lastMessageId: 8, ...defined({ lastNumberId, lastInboundId }) };
          const shown = {
            ...states,
            window: { number_id: lastNumberId ?? null },
            last_message: { is_message_by_contact: lastInboundId === 8 ? 1 : 0 },
          };
          expect(isShownInConsole(shown, 'open', 5, { at: numberId, waiting })).toBe(isChosen(stored, { numberId, waiting }));
        }
});
