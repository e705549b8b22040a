export const en = {
  title: (name: string) => `Block ${name}?`,
  hint: 'The contact cannot write to you any more, and nothing is sent to it: no reply, no template, no campaign. You can unblock it at any time.',
  done: 'Blocked',
} as const;
