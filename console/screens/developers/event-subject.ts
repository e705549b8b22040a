/** Where a record of an event is shown in this console; undefined: nowhere. */
export const placeOf = (subject: string): string | undefined => {
  const [kind = '', id = ''] = subject.split(':');
  return { ...numbered, ...lists }[kind]?.(encodeURIComponent(id));
};

const numbered: Readonly<Record<string, (id: string) => string>> = {
  conversation: (id) => `/inbox/${id}`,
  contact: (id) => `/inbox/${id}`,
  number: (id) => `/settings/numbers/${id}`,
  webhook_endpoint: (id) => `/developers/webhooks/${id}`,
};

const lists: Readonly<Record<string, () => string>> = {
  user: () => '/settings/people',
  credential: () => '/developers/tokens?all=1',
  company: () => '/settings',
};
