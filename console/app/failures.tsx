import { type JSX, useEffect, useState } from 'react';
import { useRouter } from '@tanstack/react-router';
import { Button, Empty } from '../components/basics.tsx';
import { isLostConnection } from '../components/problem-words.ts';
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
  if (isMissingFile(error)) return <MissingFile error={error} onRetry={retry} />;
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

/** A part of the page that could not be loaded, as each browser says it. */
const isMissingFile = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|importing a module script failed|preload css|'text\/html' is not a valid javascript/i.test(error.message);

/** A part of the page is not there: a new version has other parts. Without a connection nothing is known of versions. */
const MissingFile = ({ error, onRetry }: { error: unknown; onRetry: () => void }): JSX.Element | null => {
  const text = useText(shellText);
  const [isThere, setThere] = useState<boolean>();
  useEffect(() => {
    void fetch('/console/', { cache: 'no-store' }).then(
      ({ ok }) => setThere(ok),
      () => setThere(false),
    );
  }, []);
  if (isThere === undefined) return null;
  if (!isThere)
    return (
      <div style={{ padding: 20, flex: 1 }}>
        <ProblemCard error={new TypeError('Failed to fetch', { cause: error })} onRetry={onRetry} />
      </div>
    );
  return (
    <Empty icon="refresh" title={text.newVersion}>
      <p>{text.newVersionHint}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {text.newVersionLoad}
      </Button>
    </Empty>
  );
};
