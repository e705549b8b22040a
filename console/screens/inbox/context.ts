import { createContext } from 'react';

/** What a thread can do with the list that it stands beside. */
export const InboxContext = createContext<{ goNext: () => void; isByKeys: () => boolean }>({
  goNext: () => undefined,
  isByKeys: () => false,
});
