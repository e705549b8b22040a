import type { InputHTMLAttributes, JSX, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';
import { useId } from 'react';
import { SwitchboardProblem } from '../data/client.ts';
import { problemsText } from '../text/problems.ts';
import { useText } from '../text/text.ts';
import { Field } from './basics.tsx';
import { reasonOf } from './problem-words.ts';
import './fields.css';

interface Labelled {
  label: string;
  hint?: string | undefined;
  problem?: string | undefined;
}

/** A control with its name, and what describes it. */
const Described = ({
  children,
  ...words
}: Labelled & { children: (given: { id: string; 'aria-invalid'?: true; 'aria-describedby'?: string }) => ReactNode }): JSX.Element => {
  const id = useId();
  const { hint, problem } = words;
  const by = [problem === undefined ? '' : `${id}-problem`, hint === undefined ? '' : `${id}-hint`].join(' ').trim();
  return (
    <Field id={id} {...words}>
      {children({ id, ...(problem === undefined ? {} : { 'aria-invalid': true }), ...(by === '' ? {} : { 'aria-describedby': by }) })}
    </Field>
  );
};

/** Why one field was refused. */
export const useProblemOf = (): ((error: unknown, field: string) => string | undefined) => {
  const text = useText(problemsText);
  return (error, field) => {
    if (!(error instanceof SwitchboardProblem)) return undefined;
    const reasons = Object.entries(error.errors)
      .filter(([name]) => name === field || name.startsWith(`${field}.`))
      .flatMap(([, each]) => each.map((reason) => reasonOf(reason, text)));
    return reasons.length === 0 ? undefined : [...new Set(reasons)].join(' ');
  };
};

/** Whether a refusal names these fields alone, so that it stands beside them and nowhere else. */
export const isOfFields = (error: unknown, fields: readonly string[]): boolean =>
  error instanceof SwitchboardProblem &&
  Object.keys(error.errors).length > 0 &&
  Object.keys(error.errors).every((name) => fields.some((field) => name === field || name.startsWith(`${field}.`)));

export const TextField = ({
  label,
  hint,
  problem,
  onText,
  ...rest
}: Labelled & { onText: (value: string) => void } & InputHTMLAttributes<HTMLInputElement>): JSX.Element => (
  <Described label={label} hint={hint} problem={problem}>
    {(given) => (
      <input className="input" type="text" autoComplete="off" {...rest} {...given} onChange={({ target }) => onText(target.value)} />
    )}
  </Described>
);

export const LongTextField = ({
  label,
  hint,
  problem,
  onText,
  ...rest
}: Labelled & { onText: (value: string) => void } & TextareaHTMLAttributes<HTMLTextAreaElement>): JSX.Element => (
  <Described label={label} hint={hint} problem={problem}>
    {(given) => <textarea className="input" rows={4} {...rest} {...given} onChange={({ target }) => onText(target.value)} />}
  </Described>
);

/** One that is off is shown, and cannot be chosen. */
export type Choice<V extends string = string> = readonly [value: V, label: string, isOff?: boolean];

const optionsOf = (choices: readonly Choice[]): JSX.Element[] =>
  choices.map(([value, name, isOff]) => (
    <option key={value} value={value} disabled={isOff}>
      {name}
    </option>
  ));

export const SelectField = <V extends string>({
  label,
  hint,
  problem,
  choices,
  onText,
  ...rest
}: Labelled & { choices: readonly Choice<V>[]; onText: (value: V) => void } & SelectHTMLAttributes<HTMLSelectElement>): JSX.Element => (
  <Described label={label} hint={hint} problem={problem}>
    {(given) => (
      <select className="input" {...rest} {...given} onChange={({ target }) => onText(target.value as V)}>
        {optionsOf(choices)}
      </select>
    )}
  </Described>
);

type FilterSelectProps = { label: string; value: string | undefined; choices: readonly Choice[]; onText: (value: string) => void };

/** A filter of a list: its name beside it. */
export const FilterSelect = ({ label, value, choices, onText }: FilterSelectProps): JSX.Element => (
  <label>
    <span>{label}</span>
    <select className="input" value={value ?? ''} onChange={({ target }) => onText(target.value)}>
      {optionsOf(choices)}
    </select>
  </label>
);

export const CheckField = ({
  label,
  hint,
  onCheck,
  ...rest
}: { label: ReactNode; hint?: string; onCheck: (checked: boolean) => void } & InputHTMLAttributes<HTMLInputElement>): JSX.Element => (
  <label className="check-field">
    <input type="checkbox" {...rest} onChange={({ target }) => onCheck(target.checked)} />
    <span>
      {label}
      {hint !== undefined && <small>{hint}</small>}
    </span>
  </label>
);

/** Several of a few. */
export const ChecksField = ({
  label,
  hint,
  problem,
  all,
  chosen,
  onChoose,
}: Labelled & { all: readonly string[]; chosen: readonly string[]; onChoose: (chosen: string[]) => void }): JSX.Element => (
  <fieldset className="field">
    <legend>{label}</legend>
    {problem !== undefined && (
      <span className="problem" role="alert">
        {problem}
      </span>
    )}
    {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls has to be reached by keys */}
    <div className="checks" tabIndex={-1}>
      {all.map((each) => (
        <CheckField
          key={each}
          label={<code>{each}</code>}
          checked={chosen.includes(each)}
          onCheck={(checked) => onChoose(checked ? [...chosen, each] : chosen.filter((other) => other !== each))}
        />
      ))}
    </div>
    {hint !== undefined && <span className="hint">{hint}</span>}
  </fieldset>
);
