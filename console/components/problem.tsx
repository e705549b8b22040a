import type { JSX } from 'react';
import { SwitchboardProblem } from '../data/client.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button, CopyButton } from './basics.tsx';
import { Icon } from './icons.tsx';

/** The page of the reference that this deployment has; the body may name one of another host. */
const docPage = ({ docUrl }: SwitchboardProblem): string => `/docs${docUrl === undefined ? '' : new URL(docUrl, location.origin).hash}`;

/** A refusal in the product's words: what happened, of which field, its code, and the id of the request to quote. */
export const ProblemCard = ({ error, onRetry }: { error: unknown; onRetry?: () => void }): JSX.Element => {
  const text = useText(shellText);
  const problem = error instanceof SwitchboardProblem ? error : undefined;
  const fix = problem === undefined ? text.offlineFix : (problem.details['fix'] ?? problem.remedy);
  const fields = Object.entries(problem?.errors ?? {});
  return (
    <div className="notice bad" role="alert">
      <Icon name="alert" />
      <div className="problem-card grow">
        <strong>{problem?.message ?? text.offline}</strong>
        {fields.map(([field, reasons]) => (
          <span key={field}>
            <code>{field}</code> {reasons.join(' ')}
          </span>
        ))}
        {typeof fix === 'string' && <span>{fix}</span>}
        {problem && (
          <span className="facts">
            <a href={docPage(problem)} target="_blank" rel="noreferrer">
              <code>{problem.code}</code>
            </a>
            <span className="numbers">HTTP {problem.status}</span>
            {problem.requestId !== undefined && (
              <>
                <code title={text.requestId}>{problem.requestId}</code>
                <CopyButton value={`${problem.code} ${problem.requestId}`} />
              </>
            )}
          </span>
        )}
      </div>
      {onRetry && (
        <Button small onClick={onRetry}>
          {text.retry}
        </Button>
      )}
    </div>
  );
};
