import type { JSX } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Segment } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { useForm } from '../../components/form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formatCount } from '../../components/time.tsx';
import { api } from '../../data/client.ts';
import { read, refresh } from '../../data/queries.ts';
import { useRested } from '../../data/rested.ts';
import { contactsText } from '../../text/contacts.ts';
import { useLocale, useText } from '../../text/text.ts';
import { useLabels } from './filter-names.ts';
import { type Filter, kindOf, kinds, nameOfField, nameOfOp, opsOf, type Rule, sentenceOf } from './filter-words.ts';

interface SegmentFormProps {
  /** Without one, a new segment is made. */
  segment?: Segment;
  /** What a new one begins with. */
  filter?: Filter | undefined;
  onClose: () => void;
  onDone: (segment: { id: number }) => void;
}

const mostRules = 20;

/** A saved filter: its name and its rules, with the sentence that they make and how many contacts match. */
export const SegmentForm = ({ segment, filter, onClose, onDone }: SegmentFormProps): JSX.Element => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const { names } = useLabels();
  const initial: { name: string; filter: Filter } = {
    name: segment?.name ?? '',
    filter: segment?.filter ?? filter ?? { match: 'all', rules: [{ field: 'city', op: 'eq', value: '' }] },
  };
  const { values, field, set, problem, submitting } = useForm(
    initial,
    async ({ name, filter: rules }, call) => {
      const body = { name: name.trim(), filter: rules };
      return (await (segment ? api.updateSegment({ params: { id: segment.id }, body }, call) : api.createSegment({ body }, call))).data;
    },
    (made) => {
      void refresh('listSegments', 'listContacts');
      onDone(made);
    },
  );
  const isWhole = values.filter.rules.every((rule) => !('op' in rule) || isComplete(rule));
  return (
    <FormDialog
      {...submitting}
      wide
      title={segment ? text.editSegment : text.newSegment}
      action={segment ? undefined : text.saveSegment}
      isDisabled={values.name.trim() === '' || !isWhole}
      onClose={onClose}
    >
      <TextField label={text.segmentName} {...field('name')} />
      <Rules filter={values.filter} onFilter={set('filter')} />
      {problem('filter') !== undefined && (
        <span className="problem" role="alert">
          {problem('filter')}
        </span>
      )}
      <p className="filter-sentence" aria-live="polite" dir="auto">
        {isWhole ? sentenceOf(values.filter, names, text, tag) : text.rulesOpen} {isWhole && <Count filter={values.filter} />}
      </p>
    </FormDialog>
  );
};

/** A rule without its value selects nothing yet. */
const isComplete = ({ op, value }: Rule): boolean =>
  op === 'is_set' || op === 'is_not_set' || (value !== undefined && String(value).trim() !== '');

const Count = ({ filter }: { filter: Filter }): JSX.Element | null => {
  const text = useText(contactsText);
  const { tag } = useLocale();
  const rested = useRested(JSON.stringify(filter));
  const { data } = useQuery({ ...read('listContacts', { query: { limit: 1, filter_condition: rested } }), retry: false });
  if (!data) return null;
  const { total, total_is_partial: isPartial } = data.meta;
  return <strong>{isPartial ? text.atLeast(formatCount(tag, total)) : text.count(total)}</strong>;
};

/** Each rule a line; those within a rule are shown by the sentence alone. */
const Rules = ({ filter, onFilter }: { filter: Filter; onFilter: (next: Filter) => void }): JSX.Element => {
  const text = useText(contactsText);
  const put = (nth: number, rule: Rule): void =>
    onFilter({ ...filter, rules: filter.rules.map((each, place) => (place === nth ? rule : each)) });
  const take = (nth: number): void => onFilter({ ...filter, rules: filter.rules.filter((_, place) => place !== nth) });
  const add = (): void => onFilter({ ...filter, rules: [...filter.rules, { field: 'city', op: 'eq', value: '' }] });
  return (
    <div className="rules">
      <SelectField
        label={text.matches}
        value={filter.match}
        choices={[
          ['all', text.matchAll],
          ['any', text.matchAny],
        ]}
        onText={(match) => onFilter({ ...filter, match })}
      />
      {filter.rules.map((rule, nth) => (
        // oxlint-disable-next-line react/no-array-index-key -- rules have no other name
        <div key={nth} className="rule" role="group" aria-label={text.nthRule(nth + 1)}>
          {'op' in rule ? <RuleFields rule={rule} onRule={(next) => put(nth, next)} /> : <span className="grow">{text.rulesWithin}</span>}
          <Button
            look="quiet"
            small
            icon="close"
            label={text.takeRule(nth + 1)}
            isSoftDisabled={filter.rules.length === 1}
            onClick={() => filter.rules.length > 1 && take(nth)}
          />
        </div>
      ))}
      <Button small icon="plus" isSoftDisabled={filter.rules.length >= mostRules} onClick={() => filter.rules.length < mostRules && add()}>
        {text.addRule}
      </Button>
    </div>
  );
};

const RuleFields = ({ rule, onRule }: { rule: Rule; onRule: (next: Rule) => void }): JSX.Element => {
  const text = useText(contactsText);
  const { groups, tags, fields, names } = useLabels();
  const kind = kindOf(rule.field);
  const all = [...Object.keys(kinds), ...fields.map(({ key }) => `custom.${key}`)];
  const begin = (field: string): Rule => ({ field, op: opsOf[kindOf(field)][0] ?? 'eq', value: kindOf(field) === 'yes' ? true : '' });
  const withOp = (op: Rule['op']): Rule => {
    if (op === 'is_set' || op === 'is_not_set') return { field: rule.field, op };
    return { field: rule.field, op, value: rule.value ?? '' };
  };
  const ops = opsOf[kind].includes(rule.op) ? opsOf[kind] : [rule.op, ...opsOf[kind]];
  const labels = kind === 'group' ? groups : kind === 'tag' ? tags : undefined;
  const typed = String(rule.value ?? '');
  return (
    <>
      <select className="input" aria-label={text.ruleField} value={rule.field} onChange={({ target }) => onRule(begin(target.value))}>
        {all.map((field) => (
          <option key={field} value={field}>
            {nameOfField(field, text, names.fields)}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={text.ruleOp}
        value={rule.op}
        onChange={({ target }) => onRule(withOp(target.value as Rule['op']))}
      >
        {ops.map((op) => (
          <option key={op} value={op}>
            {nameOfOp(op, text)}
          </option>
        ))}
      </select>
      {kind === 'yes' && (
        <select
          className="input"
          aria-label={text.ruleValue}
          value={typed}
          onChange={({ target }) => onRule({ ...rule, value: target.value === 'true' })}
        >
          <option value="true">{text.yes}</option>
          <option value="false">{text.no}</option>
        </select>
      )}
      {labels && rule.value !== undefined && (
        <select
          className="input"
          aria-label={text.ruleValue}
          value={typed}
          onChange={({ target }) => onRule({ ...rule, value: Number(target.value) })}
        >
          <option value="" disabled>
            –
          </option>
          {labels.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      )}
      {!labels && kind !== 'yes' && rule.value !== undefined && (
        <input
          className="input"
          aria-label={text.ruleValue}
          dir="auto"
          type={rule.op === 'within_days' ? 'number' : kind === 'time' ? 'date' : 'text'}
          min={1}
          value={Array.isArray(rule.value) ? rule.value.join(', ') : typed}
          onChange={({ target }) => onRule({ ...rule, value: valueIn(rule, target.value) })}
        />
      )}
    </>
  );
};

const valueIn = ({ op }: Rule, typed: string): NonNullable<Rule['value']> => {
  if (op === 'within_days') return typed === '' ? '' : Number(typed);
  if (op === 'in' || op === 'not_in') return typed.split(',').map((each) => each.trim());
  return typed;
};
