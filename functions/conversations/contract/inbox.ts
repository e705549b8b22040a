/** The views of the inbox. */
export const inboxViews = ['open', 'unread', 'mine', 'unassigned', 'closed'] as const;
export type InboxView = (typeof inboxViews)[number];
