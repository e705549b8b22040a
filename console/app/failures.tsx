import type { JSX } from 'react';
import { useRouter } from '@tanstack/react-router';
import { Button, Empty } from '../components/basics.tsx';
import { ProblemCard } from '../components/problem.tsx';
import { SwitchboardProblem } from '../data/client.ts';
import { queryClient } from '../data/queries.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';

export const NotFound = (): JSX.Element => {
  const text = useText(shellText);
  return (
    <Empty icon="question" title={text.notFound}>
      <p>{text.notFoundHint}</p>
      <a className="button" href="/console/">
        {text.inbox}
      </a>
    </Empty>
  );
};

/** Where a screen broke or could not be read; the rest of the console stands. */
export const Crashed = ({ error, reset }: { error: unknown; reset?: () => void }): JSX.Element => {
  const text = useText(shellText);
  const router = useRouter();
  const retry = (): void => {
    void queryClient.resetQueries();
    reset?.();
    void router.invalidate();
  };
  if (error instanceof SwitchboardProblem || isLostConnection(error))
    return (
      <div style={{ padding: 20, flex: 1 }}>
        <ProblemCard error={error} onRetry={retry} />
      </div>
    );
  return (
    <Empty icon="alert" title={text.crashed}>
      <p>{text.crashedHint}</p>
      <code>{error instanceof Error ? error.message : String(error)}</code>
      <Button onClick={retry}>{text.retry}</Button>
    </Empty>
  );
};

const isLostConnection = (error: unknown): boolean =>
  (error instanceof TypeError && /fetch|network|load/i.test(error.message)) ||
  (error instanceof DOMException && error.name === 'TimeoutError');
