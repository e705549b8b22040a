import { type JSX, useEffect, useState } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Button } from '../components/basics.tsx';
import { Icon } from '../components/icons.tsx';
import { formatTime, setClockOffset } from '../components/time.tsx';
import { toastProblem } from '../components/toasts.tsx';
import { api } from '../data/client.ts';
import { phoneText } from '../text/phone.ts';
import { useLocale, useText } from '../text/text.ts';
import { advanceClock, type Faults, getClock, getFaults, listEmails, setClockBack, setFaults } from './controls.ts';
import { words } from './payload.ts';

/** What the provider does wrong, each by its own switch. */
export const FaultSwitches = ({ phone }: { phone: string }): JSX.Element => {
  const text = useText(phoneText);
  const { data: faults = {}, refetch } = useQuery({ queryKey: ['phone-faults'], queryFn: getFaults });
  const change = (next: Faults): void => void setFaults(next).then(() => refetch(), toastProblem);
  const isBlocked = faults.error_for?.[phone] !== undefined;
  const isHeld = faults.hold_statuses === true;
  /** The others stay as they are. */
  const share = (name: 'timeout_after_accept' | 'throttle' | 'server_error' | 'latency_ms', value: number) => ({
    isOn: (faults[name] ?? 0) > 0,
    toggle: () => change({ ...faults, [name]: (faults[name] ?? 0) > 0 ? 0 : value }),
  });
  const switches: readonly { label: string; hint?: string; isOn: boolean; toggle: () => void }[] = [
    {
      label: text.reads,
      hint: text.readsHint,
      isOn: !isHeld,
      toggle: () => change({ ...faults, hold_statuses: !isHeld }),
    },
    { label: text.unanswered, hint: text.unansweredHint, ...share('timeout_after_accept', 1) },
    { label: text.throttled, ...share('throttle', 1) },
    { label: text.serverError, ...share('server_error', 1) },
    { label: text.slow, ...share('latency_ms', 2_000) },
    {
      label: text.blocked,
      isOn: isBlocked,
      toggle: () => {
        const { [phone]: _, ...others } = faults.error_for ?? {};
        change({ ...faults, error_for: isBlocked ? others : { ...others, [phone]: 131_026 } });
      },
    },
  ];
  return (
    <ul className="phone-switches">
      {switches.map(({ label, hint, isOn, toggle }) => (
        <li key={label}>
          <button type="button" role="switch" aria-checked={isOn} onClick={toggle}>
            <span className="grow">
              {label}
              {hint !== undefined && <small className="muted">{hint}</small>}
            </span>
            <span className="switch" aria-hidden />
          </button>
        </li>
      ))}
    </ul>
  );
};

export const Emails = (): JSX.Element => {
  const text = useText(phoneText);
  const { data: emails = [] } = useQuery({ queryKey: ['phone-emails'], queryFn: listEmails, refetchInterval: 2_000 });
  return (
    <ol className="phone-emails">
      {emails.length === 0 && <li className="muted">{text.noEmails}</li>}
      {emails.toReversed().map((email, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- mails have no id
        <li key={emails.length - index}>
          <details>
            <summary>
              <strong className="cut">{words(email['subject'])}</strong>
              <small className="muted cut">{[email['to']].flat().map(words).join(', ')}</small>
            </summary>
            <pre className="code">{words(email['text']) || JSON.stringify(email, undefined, 2)}</pre>
          </details>
        </li>
      ))}
    </ol>
  );
};

/** A session ends after twelve hours without a call: a user who works through the day makes one before. */
const advanceInSteps = async (seconds: number): Promise<void> => {
  for (let left = seconds; left > 0; left -= longestStep) {
    await advanceClock(Math.min(left, longestStep));
    await api.getMe();
  }
};
const longestStep = 10 * 3_600;

export const Clock = (): JSX.Element => {
  const text = useText(phoneText);
  const { tag } = useLocale();
  const queries = useQueryClient();
  const { data, refetch } = useQuery({ queryKey: ['phone-clock'], queryFn: getClock, refetchInterval: 10_000 });
  const [moving, setMoving] = useState(false);
  useEffect(() => {
    if (data) setClockOffset(data.offset_seconds * 1_000);
  }, [data]);
  const move = (how: () => Promise<unknown>): void => {
    setMoving(true);
    void how()
      .then(async () => {
        await refetch();
        await queries.invalidateQueries();
      })
      .catch(toastProblem)
      .finally(() => setMoving(false));
  };
  return (
    <footer className="phone-clock row">
      <Icon name="clock" />
      <span className="grow cut numbers">
        {data ? formatTime(tag, data.now, { weekday: 'short', hour: '2-digit', minute: '2-digit' }) : text.clock}
      </span>
      {data && data.offset_seconds > 0 && (
        <Button small onClick={() => move(setClockBack)} disabled={moving}>
          {text.backToNow}
        </Button>
      )}
      <Button small onClick={() => move(() => advanceInSteps(3_600))} disabled={moving}>
        {text.hourLater}
      </Button>
      <Button small onClick={() => move(() => advanceInSteps(25 * 3_600))} disabled={moving}>
        {text.dayLater}
      </Button>
    </footer>
  );
};
