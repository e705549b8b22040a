import { type JSX, type ReactNode, useSyncExternalStore } from 'react';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { ProblemCard } from './problem.tsx';

interface Toast {
  id: number;
  content: ReactNode;
}

let toasts: readonly Toast[] = [];
let lastId = 0;
const observers = new Set<() => void>();
const change = (next: readonly Toast[]): void => {
  toasts = next;
  for (const observer of observers) observer();
};
const subscribe = (observer: () => void): (() => void) => {
  observers.add(observer);
  return () => observers.delete(observer);
};

const dismiss = (id: number): void => change(toasts.filter((each) => each.id !== id));

/** Says for some seconds, at the edge of the page, that something is done; what it returns ends it earlier. */
export const toast = (content: ReactNode, ms = 5_000): (() => void) => {
  const id = ++lastId;
  change([...toasts.slice(-2), { id, content }]);
  setTimeout(() => dismiss(id), ms);
  return () => dismiss(id);
};

/** Shows a refusal until it is closed. */
export const toastProblem = (error: unknown): void => {
  change([...toasts.slice(-2), { id: ++lastId, content: <ProblemCard error={error} /> }]);
};

export const Toasts = (): JSX.Element => {
  const shown = useSyncExternalStore(subscribe, () => toasts);
  const text = useText(shellText);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, content }) => (
        <div key={id} className="toast">
          <div className="grow">{content}</div>
          <Button look="quiet" small icon="close" label={text.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
};
