import { type JSX, lazy, Suspense, useEffect } from 'react';
import { useBlocker } from '@tanstack/react-router';
import { isPageOver } from '../data/signed-in.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';

const Dialog = lazy(() => import('./dialog.tsx').then((module) => ({ default: module.Dialog })));

/** A question before edits are left: by a link, by going back, by closing the tab. A filter in the address leaves nothing. */
export const LeaveQuestion = ({ isChanged }: { isChanged: boolean }): JSX.Element | null => {
  const text = useText(shellText);
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: false,
    withResolver: true,
  });
  useEffect(() => {
    const confirm = (event: BeforeUnloadEvent): void => {
      if (!isPageOver()) event.preventDefault();
    };
    if (isChanged) addEventListener('beforeunload', confirm);
    return () => removeEventListener('beforeunload', confirm);
  }, [isChanged]);
  if (blocker.status !== 'blocked') return null;
  return (
    <Suspense>
      <Dialog
        title={text.leaveTitle}
        onClose={blocker.reset}
        footer={
          <>
            <Button look="danger" onClick={blocker.proceed}>
              {text.discard}
            </Button>
            <Button look="primary" onClick={blocker.reset}>
              {text.goOnEditing}
            </Button>
          </>
        }
      >
        <p>{text.leaveText}</p>
      </Dialog>
    </Suspense>
  );
};
