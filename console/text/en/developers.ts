export const en = {
  title: 'Developers',
  events: 'Events',
} as const;
