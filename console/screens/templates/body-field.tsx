import { type JSX, type KeyboardEvent, useId, useRef } from 'react';
import { variablesOf } from '../../../functions/templates/domain/draft.ts';
import { nameOfKey } from '../../app/keys.ts';
import { Button } from '../../components/basics.tsx';
import { TextField } from '../../components/fields.tsx';
import { formatCount } from '../../components/time.tsx';
import { templatesText } from '../../text/templates.ts';
import { useLocale, useText } from '../../text/text.ts';
import { type Building, useOriginal } from './builder-parts.tsx';
import { nextVariable } from './template-draft.ts';

const mostCharacters = 1_024;

/** The text of the message, with what makes words bold or italic and brings a value in; below it an example of each value. */
export const BodyField = ({ building }: { building: Building }): JSX.Element => {
  const { draft, change, problemAt, source } = building;
  const text = useText(templatesText);
  const { tag } = useLocale();
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const problem = problemAt('BODY', 'text', draft.body);
  const original = useOriginal(source?.body);
  /** Puts something around what is selected, or in its place; where nothing is, writing goes on behind `around` letters of it. */
  const put = (words: (selected: string) => string, around: number): void => {
    const { current } = area;
    if (!current) return;
    const [from, to] = [current.selectionStart, current.selectionEnd];
    const next = words(current.value.slice(from, to));
    current.setRangeText(next, from, to, 'end');
    change({ body: current.value });
    current.focus();
    // where nothing was selected, the words come between the signs
    if (around > 0 && from === to) current.setSelectionRange(from + around, from + around);
  };
  const bold = (): void => put((selected) => within(selected, '*'), 1);
  const italic = (): void => put((selected) => within(selected, '_'), 1);
  const value = (): void => put(() => `{{${nextVariable(draft.body)}}}`, 0);
  const onKey = (event: KeyboardEvent): void => {
    const action = { 'mod+b': bold, 'mod+i': italic, 'mod+/': value }[nameOfKey(event)];
    if (!action) return;
    event.preventDefault();
    action();
  };
  return (
    <div className="field">
      <label htmlFor={id}>{text.body}</label>
      <div className="row" role="toolbar" aria-label={text.formatting}>
        <Button small look="quiet" aria-label={text.bold} title={`${text.bold} (Ctrl+B)`} onClick={bold}>
          <strong>B</strong>
        </Button>
        <Button small look="quiet" aria-label={text.italic} title={`${text.italic} (Ctrl+I)`} onClick={italic}>
          <em>I</em>
        </Button>
        <Button small look="quiet" icon="plus" title={`${text.variable} (Ctrl+/)`} onClick={value}>
          {text.variable}
        </Button>
        <span className="grow" />
        <span className={draft.body.length > mostCharacters ? 'numbers bad-text' : 'numbers muted'}>
          {text.countOf(formatCount(tag, draft.body.length), formatCount(tag, mostCharacters))}
        </span>
      </div>
      <textarea
        ref={area}
        id={id}
        className="input"
        rows={6}
        dir="auto"
        value={draft.body}
        aria-describedby={`${id}-words`}
        {...(problem === undefined ? {} : { 'aria-invalid': true })}
        onKeyDown={onKey}
        onChange={({ target }) => change({ body: target.value })}
      />
      <span id={`${id}-words`} className={problem === undefined ? 'hint' : 'problem'} role={problem === undefined ? undefined : 'alert'}>
        {problem ?? original ?? text.bodyHint}
      </span>
      {problem !== undefined && original !== undefined && <span className="hint">{original}</span>}
    </div>
  );
};

/** Marks words as WhatsApp reads it: the signs beside the words, and spaces outside of them. */
const within = (selected: string, sign: string): string => {
  const words = selected.trim();
  const from = selected.indexOf(words);
  return `${selected.slice(0, from)}${sign}${words}${sign}${selected.slice(from + words.length)}`;
};

/** What stands in for each value of a text: reviewers at WhatsApp read it. */
export const Examples = ({ building, part }: { building: Building; part: 'header' | 'body' }): JSX.Element => {
  const { draft, change, problemAt } = building;
  const text = useText(templatesText);
  return (
    <>
      {variablesOf(draft[part]).map((name) => {
        const id = `${part}:${name}`;
        const value = draft.examples[id] ?? '';
        const problem = value.trim() === '' ? problemAt(part === 'header' ? 'HEADER' : 'BODY', 'example', '') : undefined;
        return (
          <TextField
            key={id}
            label={text.exampleOf(name)}
            dir="auto"
            value={value}
            problem={problem}
            onText={(example) => change({ examples: { ...draft.examples, [id]: example } })}
          />
        );
      })}
    </>
  );
};
