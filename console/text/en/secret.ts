export const en = {
  once: 'This is shown once. Copy it to where it is needed now; when you close this, nothing can show it again.',
  copyFirst: 'Copy it first.',
  stored: 'I have stored it',
  copy: (name: string) => `Copy: ${name}`,
} as const;
