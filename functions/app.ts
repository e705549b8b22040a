import { accountContext } from './account/context.ts';
import { campaignsContext } from './campaigns/context.ts';
import { deriveChangesContext } from './changes/context.ts';
import { contactsContext } from './contacts/context.ts';
import { conversationsContext } from './conversations/context.ts';
import { crmContext } from './crm/context.ts';
import { deriveDispatchContext } from './dispatch/context.ts';
import { erasuresContext } from './erasures/context.ts';
import { eventsContext } from './events/context.ts';
import { frontContext } from './front/context.ts';
import { messagingContext } from './messaging/context.ts';
import { referenceContext } from './reference/context.ts';
import { sessionsContext } from './sessions/context.ts';
import { shopContext } from './shop/context.ts';
import { templatesContext } from './templates/context.ts';
import { webhooksContext } from './webhooks/context.ts';
import { verificationContext } from './verification/context.ts';
import type { Context } from '../shared/contract/context.ts';

/** The contexts that declare reactions, projections and due work; changes and dispatch derive their own functions from them. */
const contexts: readonly Context[] = [
  accountContext,
  sessionsContext,
  contactsContext,
  messagingContext,
  templatesContext,
  conversationsContext,
  crmContext,
  shopContext,
  eventsContext,
  webhooksContext,
  campaignsContext,
  erasuresContext,
  frontContext,
  verificationContext,
  referenceContext,
];

export const changesContext = deriveChangesContext(contexts);
export const dispatchContext = deriveDispatchContext(contexts);

/** Every context of the product. bin, lib and test read it; functions reach other contexts through generated registries instead. */
export const app: readonly Context[] = [...contexts, changesContext, dispatchContext];
