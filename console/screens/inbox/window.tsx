import type { JSX } from 'react';
import type { Conversation } from '../../../client/client.ts';
import { useNow } from '../../components/time.tsx';
import { inboxText } from '../../text/inbox.ts';
import { useLocale, useText } from '../../text/text.ts';

/** Milliseconds until the customer service window closes; 0 when it is closed. */
export const windowLeft = ({ expires_at }: Conversation['window'], now: number): number =>
  expires_at === null ? 0 : Math.max(0, Date.parse(expires_at) - now);

const hour = 3_600_000;

const formats = new Map<string, Intl.NumberFormat>();
const formatOf = (tag: string, unit: 'day' | 'hour' | 'minute'): Intl.NumberFormat => {
  const key = `${tag} ${unit}`;
  const format = formats.get(key) ?? new Intl.NumberFormat(tag, { style: 'unit', unit, unitDisplay: 'narrow', maximumFractionDigits: 0 });
  formats.set(key, format);
  return format;
};

/** `5 h`, `12 min`: the time left in the reader's words. */
export const leftInWords = (tag: string, left: number): string =>
  left >= 48 * hour
    ? formatOf(tag, 'day').format(Math.floor(left / (24 * hour)))
    : left >= hour
      ? formatOf(tag, 'hour').format(Math.floor(left / hour))
      : formatOf(tag, 'minute').format(Math.max(1, Math.floor(left / 60_000)));

/** The window as a clock that runs down: calm while there is time, warning in the last three hours. */
export const WindowClock = ({ window: given, named = false }: { window: Conversation['window']; named?: boolean }): JSX.Element => {
  const text = useText(inboxText);
  const { tag } = useLocale();
  const left = windowLeft(given, useNow());
  const share = Math.min(1, left / (24 * hour));
  const words = left === 0 ? text.windowClosed : text.windowOpen(leftInWords(tag, left));
  const look = left === 0 ? 'over' : left < 3 * hour ? 'short' : '';
  return (
    <span className={`window-clock ${look}`} title={words}>
      <svg width={14} height={14} viewBox="0 0 16 16" aria-hidden>
        <circle cx={8} cy={8} r={6} fill="none" stroke="currentColor" strokeWidth={2.4} opacity={0.22} />
        <circle
          cx={8}
          cy={8}
          r={6}
          fill="none"
          stroke="currentColor"
          strokeWidth={2.4}
          strokeDasharray={`${share * 37.7} 40`}
          transform="rotate(-90 8 8)"
        />
      </svg>
      {(named || left > 0) && <span className="numbers">{named ? words : leftInWords(tag, left)}</span>}
      {!named && <span className="hidden-text">{words}</span>}
    </span>
  );
};
