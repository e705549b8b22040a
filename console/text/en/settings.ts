export const en = {
  title: 'Settings',
  company: 'Company',
} as const;
