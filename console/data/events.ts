import { useEffect } from 'react';
import type { Event as LoggedEvent } from '../../client/client.ts';
import type { OperationName } from './client.ts';
import { showConversations } from './conversations.ts';
import { readAgain } from './read-again.ts';

/** Which operations' answers an event makes old, by its type or the family of its type; those of conversations come with them. */
export const affected: Readonly<Record<string, readonly OperationName[]>> = {
  message: ['listConversationMessages'],
  'conversation.updated': [],
  'conversation.note': ['listConversationNotes'],
  contact: ['getContact', 'getConversation', 'listContactConsents', 'listContacts', 'listEvents'],
  'contact.blocked': ['getContact', 'getConversation', 'listContacts', 'listAuditEntries', 'listEvents'],
  'contact.unblocked': ['getContact', 'getConversation', 'listContacts', 'listAuditEntries', 'listEvents'],
  template: ['listTemplates', 'getTemplate'],
  campaign: ['listCampaigns', 'getCampaign', 'listCampaignMessages', 'listCampaignReplies', 'compareCampaigns'],
  'campaign.updated': ['listCampaigns', 'getCampaign', 'listCampaignMessages', 'listEvents'],
  'campaign.paused': ['listCampaigns', 'getCampaign', 'listEvents'],
  'campaign.completed': ['listCampaigns', 'getCampaign', 'listCampaignMessages', 'listEvents', 'compareCampaigns'],
  order: ['listOrders', 'getOrder'],
  cart: ['listCarts'],
  lead: ['listLeads', 'getBoard', 'getLead', 'listLeadActivities'],
  task: ['listTasks', 'listLeadTasks', 'getBoard', 'listLeadActivities'],
  number: ['listNumbers', 'getNumber', 'getMe', 'listAuditEntries'],
  rate_card: ['listRates', 'getRate', 'getSpend', 'listAuditEntries'],
  spend_ceilings: ['getCeilings', 'listAuditEntries'],
  token_ceiling: ['listTokenCeilings', 'listAuditEntries'],
  spend: ['getCeilings'],
  webhook_endpoint: ['listWebhooks', 'getWebhook', 'listAuditEntries'],
  user: ['listUsers', 'listAuditEntries'],
  credential: ['listTokens', 'listMachineTokens', 'listAuditEntries'],
  passkey: ['listPasskeys', 'listAuditEntries'],
  verification_profile: ['listVerificationProfiles', 'getVerificationProfile', 'listAuditEntries'],
  company: ['getCompanySettings', 'listAuditEntries'],
  app: ['listAuditEntries'],
};

/** Operations of one conversation, which are read again for the conversations that events name. */
const ofOneConversation = new Set<OperationName>(['listConversationMessages', 'listConversationNotes']);

type Observer = (events: readonly LoggedEvent[]) => void;
const observers = new Set<Observer>();

/** Calls back with every batch of new events. */
export const useEvents = (observer: Observer): void => {
  useEffect(() => {
    observers.add(observer);
    return () => void observers.delete(observer);
  }, [observer]);
};

/** What came with events: the conversations that need no call of their own, and the one whose messages are shown already. */
export interface Answered {
  conversations: ReadonlySet<number>;
  thread?: number | undefined;
}

/** Reads again what these events changed and what did not come with them: conversations, each alone, and the whole of an operation for all else. */
export const applyEvents = (events: readonly LoggedEvent[], answered: Answered): void => {
  const named = new Set<number>();
  const changed = new Map<number, number>();
  for (const event of events) {
    const id = conversationOf(event);
    if (id === undefined) continue;
    named.add(id);
    // a note changes nothing of what lists show
    if (event.type !== 'conversation.note' && !answered.conversations.has(id))
      changed.set(id, Math.max(changed.get(id) ?? 0, messageOf(event)));
  }
  for (const name of new Set(events.flatMap(({ type }) => affected[type] ?? affected[familyOf(type)] ?? []))) {
    const old = name === 'listConversationMessages' ? [...named].filter((id) => id !== answered.thread) : [...named];
    if (!ofOneConversation.has(name)) readAgain(name);
    else if (old.length > 0) readAgain(name, old);
  }
  showConversations(changed);
  for (const observer of observers) observer(events);
};

const familyOf = (type: string): string => type.split('.')[0] ?? '';

export const conversationOf = ({ subject }: LoggedEvent): number | undefined => {
  const id = /^conversation:(\d+)$/.exec(subject)?.[1];
  return id === undefined ? undefined : Number(id);
};

/** The message that arrived; 0 with other events. */
const messageOf = ({ type, data }: LoggedEvent): number => (type === 'message.received' ? Number(data['message_id']) : 0);
