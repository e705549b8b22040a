import { useEffect } from 'react';
import { useRouter } from '@tanstack/react-router';

/** The path of the document as it was loaded: its headers are those of that page. */
const loadedPath = (): string => new URL(performance.getEntriesByType('navigation')[0]?.name ?? location.href).pathname;

/**
 * For a page whose headers differ: it is shown in a document of its own, and what is gone to from it is loaded anew, so that what it lets in ends
 * with it. False: the document is another page's, and is loaded again now.
 */
export const useOwnDocument = (): boolean => {
  const router = useRouter();
  const isOwn = loadedPath() === location.pathname;
  useEffect(() => {
    if (!isOwn) return location.reload();
    return router.subscribe('onBeforeLoad', ({ pathChanged }) => {
      // the address is the new one once this navigation has written it
      if (pathChanged) setTimeout(() => location.reload());
    });
  }, [isOwn, router]);
  return isOwn;
};
