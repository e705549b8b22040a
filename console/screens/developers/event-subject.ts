import { linkOptions } from '@tanstack/react-router';

type Place = ReturnType<(typeof places)[keyof typeof places]>;

/** Where a record of an event is shown in this console; undefined: nowhere. */
export const placeOf = (subject: string): Place | undefined => {
  const [kind = '', id] = subject.split(':');
  return kind in places ? places[kind as keyof typeof places](Number(id)) : undefined;
};

const places = {
  conversation: (id: number) => linkOptions({ to: '/inbox/$id', params: { id } }),
  contact: (id: number) => linkOptions({ to: '/inbox/$id', params: { id } }),
  number: (id: number) => linkOptions({ to: '/settings/numbers/$id', params: { id } }),
  webhook_endpoint: (id: number) => linkOptions({ to: '/developers/webhooks/$id', params: { id } }),
  user: () => linkOptions({ to: '/settings/people' }),
  credential: () => linkOptions({ to: '/developers/tokens', search: { all: 1 } }),
  company: () => linkOptions({ to: '/settings' }),
};
