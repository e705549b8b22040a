export const en = {
  title: 'Snooze until',
  hour: 'In an hour',
  evening: 'This evening',
  tomorrow: 'Tomorrow morning',
  monday: 'Next Monday',
  own: 'Another time',
  snooze: 'Snooze',
  early: 'This time is over.',
  late: 'At most a year from now.',
  hint: 'It comes back by itself at that time, marked unread, and at once when the customer writes.',
} as const;
