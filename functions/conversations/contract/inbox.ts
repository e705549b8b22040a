/** The views of the inbox. */
export const inboxViews = ['open', 'unread', 'mine', 'unassigned', 'snoozed', 'automatic', 'closed'] as const;
export type InboxView = (typeof inboxViews)[number];
