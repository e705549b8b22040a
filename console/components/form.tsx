import { type JSX, type ReactNode, useState } from 'react';
import { changesOf, editsLeft, isEmpty } from '../data/changes.ts';
import { useWrite } from '../data/forms.ts';
import { shellText } from '../text/shell.ts';
import { useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { isOfFields, useProblemOf } from './fields.tsx';
import { Spinner } from './icons.tsx';
import { ProblemCard } from './problem.tsx';
import './page.css';

/** A write that is under way, or what it was refused for. */
export interface Write {
  isPending: boolean;
  error: unknown;
}

/** What a form or its dialog needs of its values: the write, the names of the fields that are shown, whether something is not sent yet, and sending it. */
export interface Submitting {
  write: Write;
  fields: readonly string[];
  isChanged: boolean;
  onSubmit: () => void;
  /** Back to what was read. */
  onDiscard: () => void;
}

/**
 * The values of a form, by the names that the API has for them, and the one write that sends them. `read` is what was read last, or what a new
 * record begins with: a field that was not edited follows it.
 */
export const useForm = <V extends object, R>(
  read: V,
  send: (values: V, call: { idempotencyKey: string }, changed: Partial<V>) => Promise<R>,
  onDone?: (answer: R) => unknown,
) => {
  const [edits, setEdits] = useState<Partial<V>>({});
  const values: V = { ...read, ...edits };
  const changed = changesOf(read, edits);
  const { run, isPending, error } = useWrite(
    (sent: { values: V; changed: Partial<V> }, call) => send(sent.values, call, sent.changed),
    async (answer, sent) => {
      await onDone?.(answer);
      setEdits((before) => editsLeft(before, sent.values));
    },
  );
  const problemOf = useProblemOf();
  // anew with every drawing: a refusal of a field that is not shown stands above the others
  const fields: string[] = [];
  const change = (edit: Partial<V>): void => setEdits((before) => ({ ...before, ...edit }));
  const set =
    <K extends keyof V>(name: K) =>
    (value: V[K]): void => {
      const edit: Partial<V> = {};
      edit[name] = value;
      change(edit);
    };
  const problem = (name: string): string | undefined => {
    fields.push(name);
    return problemOf(error, name);
  };
  const submitting: Submitting = {
    write: { isPending, error },
    fields,
    isChanged: !isEmpty(changed),
    onSubmit: () => run({ values, changed }),
    onDiscard: () => setEdits({}),
  };
  return {
    values,
    submitting,
    set,
    problem,
    /** For a field of text or choices. */
    field: <K extends keyof V & string>(name: K) => ({ value: values[name], onText: set(name), problem: problem(name) }),
    /** For a field to check. */
    check: (name: { [K in keyof V]: V[K] extends boolean ? K : never }[keyof V]) => ({
      checked: values[name] === true,
      onCheck: (checked: boolean): void => change({ [name]: checked } as unknown as Partial<V>),
    }),
  };
};

/** What a write was refused for, unless it stands beside the fields. */
export const Refusal = ({ write: { error }, fields }: Pick<Submitting, 'write' | 'fields'>): JSX.Element | null =>
  error === null || error === undefined || isOfFields(error, fields) ? null : <ProblemCard error={error} />;

type FormProps = { submitting: Submitting; className?: string; children: ReactNode };

/** A form within a page: Enter sends it. */
export const Form = ({ submitting, className, children }: FormProps): JSX.Element => (
  <form
    noValidate
    className={className}
    onSubmit={(event) => {
      event.preventDefault();
      submitting.onSubmit();
    }}
  >
    <Refusal {...submitting} />
    {children}
  </form>
);

type SubmitButtonProps = { write: Write; isDisabled?: boolean; isSoftDisabled?: boolean; children?: ReactNode };

/** The button that sends a form; it says `Save` unless it is given words. */
export const SubmitButton = ({
  write: { isPending },
  isDisabled = false,
  isSoftDisabled = false,
  children,
}: SubmitButtonProps): JSX.Element => {
  const text = useText(shellText);
  return (
    <Button type="submit" look="primary" disabled={isDisabled} isSoftDisabled={isPending || isSoftDisabled}>
      {isPending && <Spinner />}
      {children ?? text.save}
    </Button>
  );
};
