import type { ConversationNote } from '../../conversations/contract/stored-note.ts';
import type { Note } from '../contract/stored-note.ts';

/** A note of a contact, and where it was written. */
export type SourcedNote = { source: 'lead'; note: Note } | { source: 'conversation'; note: ConversationNote };

/** Of each of the two, the id below which the next page goes on. */
interface Places {
  lead: number;
  conversation: number;
}

/**
 * A page of two lists that are each newest first by id, and complete to one note beyond the page: the newer of their first notes, time and again. Each
 * list keeps its own order, so what is left of both is exactly what is below the two places.
 */
export const mergeNotes = (
  leadNotes: readonly Note[],
  conversationNotes: readonly ConversationNote[],
  { skip, limit }: { skip: number; limit: number },
): { items: SourcedNote[]; next: Places | undefined } => {
  const merged: SourcedNote[] = [];
  let [ofLead, ofConversation] = [0, 0];
  while (merged.length < skip + limit) {
    const [lead, conversation] = [leadNotes[ofLead], conversationNotes[ofConversation]];
    if (lead && (!conversation || lead.createdAt >= conversation.createdAt)) {
      merged.push({ source: 'lead', note: lead });
      ofLead++;
    } else if (conversation) {
      merged.push({ source: 'conversation', note: conversation });
      ofConversation++;
    } else break;
  }
  const isEnd = leadNotes.length === ofLead && conversationNotes.length === ofConversation;
  const next = { lead: placeAt(leadNotes, ofLead), conversation: placeAt(conversationNotes, ofConversation) };
  return { items: merged.slice(skip), next: isEnd ? undefined : next };
};

/** Above the next note of a list; below all ids where none is left. */
const placeAt = (notes: readonly { id: number }[], taken: number): number => (notes[taken]?.id ?? 0) + 1;
