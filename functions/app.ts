import { accountContext } from './account/context.ts';
import { administrationContext } from './administration/context.ts';
import { campaignsContext } from './campaigns/context.ts';
import { ceilingsContext } from './ceilings/context.ts';
import { deriveChangeStreamContext } from './change-stream/context.ts';
import { contactsContext } from './contacts/context.ts';
import { conversationsContext } from './conversations/context.ts';
import { crmContext } from './crm/context.ts';
import { deriveDueWorkContext } from './due-work/context.ts';
import { erasuresContext } from './erasures/context.ts';
import { eventsContext } from './events/context.ts';
import { siteContext } from './site/context.ts';
import { mediaContext } from './media/context.ts';
import { messagingContext } from './messaging/context.ts';
import { apiReferenceContext } from './api-reference/context.ts';
import { serviceWindowContext } from './service-window/context.ts';
import { sessionsContext } from './sessions/context.ts';
import { shopContext } from './shop/context.ts';
import { spendContext } from './spend/context.ts';
import { summariesContext } from './summaries/context.ts';
import { templatesContext } from './templates/context.ts';
import { usageContext } from './usage/context.ts';
import { webhooksContext } from './webhooks/context.ts';
import { verificationContext } from './verification/context.ts';
import type { Context } from '../shared/contract/context.ts';

/** The contexts that declare reactions, projections and due work; change-stream and due-work derive their own functions from them. */
const contexts: readonly Context[] = [
  accountContext,
  usageContext,
  spendContext,
  administrationContext,
  sessionsContext,
  contactsContext,
  mediaContext,
  serviceWindowContext,
  messagingContext,
  ceilingsContext,
  templatesContext,
  conversationsContext,
  crmContext,
  shopContext,
  eventsContext,
  webhooksContext,
  campaignsContext,
  erasuresContext,
  siteContext,
  verificationContext,
  summariesContext,
  apiReferenceContext,
];

export const changeStreamContext = deriveChangeStreamContext(contexts);
export const dueWorkContext = deriveDueWorkContext(contexts);

/** Every context of the product. bin, lib and test read it; functions reach other contexts through generated registries instead. */
export const app: readonly Context[] = [...contexts, changeStreamContext, dueWorkContext];
