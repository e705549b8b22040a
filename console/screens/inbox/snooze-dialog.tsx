import { type FormEvent, type JSX, useState } from 'react';
import { Button } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { useNow } from '../../components/time.tsx';
import { toFieldTime } from '../../data/field-time.ts';
import { snoozeText } from '../../text/snooze.ts';
import { useLocale, useText } from '../../text/text.ts';
import { ownTimeProblem, snoozeTimes, untilInWords } from './snooze-times.ts';

interface SnoozeDialogProps {
  onClose: () => void;
  /** With an instant. */
  onChoose: (until: string) => void;
}

/** Until when a conversation is put away: the times that are wanted most, and any other. */
const SnoozeDialog = ({ onClose, onChoose }: SnoozeDialogProps): JSX.Element => {
  const text = useText(snoozeText);
  const { tag } = useLocale();
  const now = useNow();
  const times = snoozeTimes(now);
  const [own, setOwn] = useState(() => toFieldTime(times.find(({ name }) => name === 'tomorrow')?.at ?? now));
  const found = ownTimeProblem(own, now);
  const choose = (at: number): void => {
    onClose();
    onChoose(new Date(at).toISOString());
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!found) choose(Date.parse(own));
  };
  return (
    <Dialog title={text.title} onClose={onClose}>
      <ul className="snooze-times">
        {times.map(({ name, at }) => (
          <li key={name}>
            <button type="button" className="button quiet" onClick={() => choose(at)}>
              <span className="grow">{text[name]}</span>
              <span className="muted numbers">{untilInWords(tag, at, now)}</span>
            </button>
          </li>
        ))}
      </ul>
      <form className="snooze-own" onSubmit={submit}>
        <label className="grow">
          <span>{text.own}</span>
          <input
            type="datetime-local"
            className="input"
            min={toFieldTime(now)}
            aria-invalid={found !== undefined}
            aria-describedby="snooze-problem"
            value={own}
            onChange={({ target }) => setOwn(target.value)}
          />
        </label>
        <Button type="submit" look="primary" icon="clock" disabled={found !== undefined}>
          {text.snooze}
        </Button>
        <p id="snooze-problem" className="problem" role="status">
          {found && text[found]}
        </p>
      </form>
      <p className="muted">{text.hint}</p>
    </Dialog>
  );
};
export default SnoozeDialog;
