import type { InputHTMLAttributes, JSX, ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';
import { useId } from 'react';
import { SwitchboardProblem } from '../data/client.ts';
import { Field } from './basics.tsx';

interface Labelled {
  label: string;
  hint?: string | undefined;
  problem?: string | undefined;
}

const described = (id: string, { hint, problem }: Labelled) => ({
  id,
  ...(problem === undefined ? {} : { 'aria-invalid': true }),
  ...(hint === undefined && problem === undefined
    ? {}
    : { 'aria-describedby': [problem !== undefined && `${id}-problem`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ') }),
});

/** What the API refused of one field, in its words. */
export const problemOf = (error: unknown, field: string): string | undefined =>
  error instanceof SwitchboardProblem
    ? Object.entries(error.errors)
        .filter(([name]) => name === field || name.startsWith(`${field}.`))
        .flatMap(([, reasons]) => reasons)
        .join(' ') || undefined
    : undefined;

/** Whether a refusal names these fields alone, so that it stands beside them and nowhere else. */
export const isOfFields = (error: unknown, fields: readonly string[]): boolean =>
  error instanceof SwitchboardProblem &&
  Object.keys(error.errors).length > 0 &&
  Object.keys(error.errors).every((name) => fields.includes(name.split('.')[0] ?? ''));

export const TextField = ({
  label,
  hint,
  problem,
  onText,
  ...rest
}: Labelled & { onText: (value: string) => void } & InputHTMLAttributes<HTMLInputElement>): JSX.Element => {
  const id = useId();
  const words = { label, hint, problem };
  return (
    <Field id={id} {...words}>
      <input
        className="input"
        type="text"
        autoComplete="off"
        {...rest}
        {...described(id, words)}
        onChange={({ target }) => onText(target.value)}
      />
    </Field>
  );
};

export const LongTextField = ({
  label,
  hint,
  problem,
  onText,
  ...rest
}: Labelled & { onText: (value: string) => void } & TextareaHTMLAttributes<HTMLTextAreaElement>): JSX.Element => {
  const id = useId();
  const words = { label, hint, problem };
  return (
    <Field id={id} {...words}>
      <textarea className="input" rows={4} {...rest} {...described(id, words)} onChange={({ target }) => onText(target.value)} />
    </Field>
  );
};

export type Choice<V extends string = string> = readonly [value: V, label: string];

export const SelectField = <V extends string>({
  label,
  hint,
  problem,
  choices,
  onText,
  ...rest
}: Labelled & { choices: readonly Choice<V>[]; onText: (value: V) => void } & SelectHTMLAttributes<HTMLSelectElement>): JSX.Element => {
  const id = useId();
  const words = { label, hint, problem };
  return (
    <Field id={id} {...words}>
      <select className="input" {...rest} {...described(id, words)} onChange={({ target }) => onText(target.value as V)}>
        {choices.map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
    </Field>
  );
};

/** A filter of a list: its name beside it. */
export const FilterSelect = ({
  label,
  value,
  choices,
  onText,
}: {
  label: string;
  value: string | undefined;
  choices: readonly Choice[];
  onText: (value: string) => void;
}): JSX.Element => (
  <label>
    <span>{label}</span>
    <select className="input" value={value ?? ''} onChange={({ target }) => onText(target.value)}>
      {choices.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
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
