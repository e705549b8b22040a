export const en = {
  range: 'Range',
  lastDays: (days: number) => `Last ${days} days`,
  asTable: 'Show as a table',
  asChart: 'Show as a chart',
  asFile: (title: string) => `CSV: ${title}`,
  count: 'Count',
  share: 'Share',
  ofBefore: 'Of the step before',
  noLimit: (used: string) => `${used}, without a limit`,
  ofLimit: (used: string, limit: string) => `${used} of ${limit}`,
} as const;
