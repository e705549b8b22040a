export const en = {
  object: 'Object',
  events: 'Events',
  requests: 'Requests',
  code: 'Code',
  asCurl: 'curl',
  asTypeScript: 'TypeScript',
  noEvents: 'No events of this record in the last 30 days.',
  noRequests: 'This page has called nothing yet.',
  noObject: 'Open a record, such as a conversation, to see it here.',
} as const;
