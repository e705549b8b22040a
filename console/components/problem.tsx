import type { JSX } from 'react';
import { SwitchboardProblem } from '../data/client.ts';
import { problemsText } from '../text/problems.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button, CopyButton } from './basics.tsx';
import { Icon } from './icons.tsx';
import { reasonOf, wordsOf } from './problem-words.ts';

/** The page of the reference that this deployment has; the body may name one of another host. */
const docPage = ({ docUrl }: SwitchboardProblem): string => `/docs${docUrl === undefined ? '' : new URL(docUrl, location.origin).hash}`;

/** What went wrong and what to do, in plain words; what the API says of it, for support, stands behind `Details`. */
export const ProblemCard = ({ error, onRetry }: { error: unknown; onRetry?: () => void }): JSX.Element => {
  const text = useText(problemsText);
  const shell = useText(shellText);
  const { title, advice } = wordsOf(error, text);
  const reasons = error instanceof SwitchboardProblem ? Object.values(error.errors).flat() : [];
  return (
    <div className="notice bad" role="alert">
      <Icon name="alert" />
      <div className="problem-card grow">
        <strong>{title}</strong>
        {[...new Set(reasons)].map((reason) => (
          <span key={reason}>{reasonOf(reason, text)}</span>
        ))}
        {advice !== undefined && <span>{advice}</span>}
        <Details error={error} />
      </div>
      {onRetry && (
        <Button small onClick={onRetry}>
          {shell.retry}
        </Button>
      )}
    </div>
  );
};

/** What the API says, by its own names: for those who call it, and to quote. */
const Details = ({ error }: { error: unknown }): JSX.Element => {
  const text = useText(problemsText);
  const problem = error instanceof SwitchboardProblem ? error : undefined;
  return (
    <details>
      <summary>{text.details}</summary>
      <div className="problem-details" lang="en">
        <span>{error instanceof Error ? error.message : String(error)}</span>
        {Object.entries(problem?.errors ?? {}).map(([field, reasons]) => (
          <span key={field}>
            <code>{field}</code> {reasons.join(' ')}
          </span>
        ))}
        {problem?.remedy !== undefined && <span>{problem.remedy}</span>}
        {problem && (
          <span className="facts">
            <a href={docPage(problem)} target="_blank" rel="noreferrer">
              <code>{problem.code}</code>
            </a>
            <span className="numbers">HTTP {problem.status}</span>
            {problem.requestId !== undefined && (
              <>
                <code>{problem.requestId}</code>
                <CopyButton value={`${problem.code} ${problem.requestId}`} />
              </>
            )}
          </span>
        )}
      </div>
    </details>
  );
};

/** What is shown could not be read again: one line above it. */
export const StaleBar = ({ onRetry }: { onRetry: () => void }): JSX.Element => {
  const text = useText(problemsText);
  const shell = useText(shellText);
  return (
    <div className="stale-bar row" role="status">
      <Icon name="alert" />
      <span className="grow cut">{text.stale}</span>
      <Button small look="quiet" onClick={onRetry}>
        {shell.retry}
      </Button>
    </div>
  );
};
