import type { Answer } from './client.ts';

export type Others = Answer<'getSync'>['data']['others'];

/** What this user does in a conversation, for colleagues to see; and where to show who else is there. */
export interface Viewer {
  conversationId: number;
  /** Undefined while it is not to be seen. */
  state: () => 'viewing' | 'typing' | undefined;
  onOthers: (others: Others) => void;
}

/** What the page shows: the conversations whose messages it shows, the last of them on top, and as whom this user looks at them. */
const open: { id: number }[] = [];
const viewers = new Set<Viewer>();

export const openConversation = (): number | undefined => open.at(-1)?.id;

/** From now on each look brings the messages of this conversation, until the returned function is called. */
export const openForLooks = (id: number): (() => void) => {
  const entry = { id };
  open.push(entry);
  return () => void open.splice(open.indexOf(entry), 1);
};

export const viewerOf = (id: number | undefined): Viewer | undefined => [...viewers].find(({ conversationId }) => conversationId === id);

/** From now on each look says what this user does, until the returned function is called. */
export const showViewer = (viewer: Viewer): (() => void) => {
  viewers.add(viewer);
  return () => void viewers.delete(viewer);
};
