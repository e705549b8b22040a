import { type JSX, type ReactNode, useState } from 'react';
import { Button, CopyButton } from '../../components/basics.tsx';
import { reasonOf, wordsOf } from '../../components/problem-words.ts';
import { SwitchboardProblem } from '../../data/client.ts';
import { inboxText } from '../../text/inbox.ts';
import { problemsText } from '../../text/problems.ts';
import { useText } from '../../text/text.ts';

interface ProblemLineProps {
  error: unknown;
  /** What stands in place of the refusal's own words. */
  words: string | undefined;
  /** What can be done. */
  children: ReactNode;
}

/** A refusal under a message: one line to the agent, and behind it what a developer needs. */
export const ProblemLine = ({ error, words, children }: ProblemLineProps): JSX.Element => {
  const text = useText(inboxText);
  const [isOpen, setOpen] = useState(false);
  const problem = error instanceof SwitchboardProblem ? error : undefined;
  const problems = useText(problemsText);
  const { title, advice } = wordsOf(error, problems);
  const reasons = Object.values(problem?.errors ?? {})
    .flat()
    .map((reason) => reasonOf(reason, problems));
  const sentences = [title, ...new Set(reasons), advice].filter((each) => each !== undefined).map(asSentence);
  return (
    <div className="state bad" role="alert">
      <p className="row failure">
        <span>
          <strong>{text.notSent}.</strong> {words ?? sentences.join(' ')}
        </span>
        {children}
        {problem && (
          <Button look="quiet" small aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            {text.details_}
          </Button>
        )}
      </p>
      {isOpen && problem && (
        <p className="failure-details row">
          <span lang="en">{[problem.message, problem.remedy].filter((each) => each !== undefined).join(' ')}</span>
          <code>{problem.code}</code>
          {problem.requestId !== undefined && (
            <>
              <code>{problem.requestId}</code>
              <CopyButton value={`${problem.code} ${problem.requestId}`} />
            </>
          )}
        </p>
      )}
    </div>
  );
};

const asSentence = (words: string): string => (/[.!?]$/.test(words) ? words : `${words}.`);
