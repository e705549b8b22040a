import { useNumber } from '../../components/charts/frame.tsx';
import type { homeText } from '../../text/home.ts';
import type { TextOf } from '../../text/text.ts';

const units = [
  { unit: 'seconds', ms: 1_000, below: 60_000 },
  { unit: 'minutes', ms: 60_000, below: 3_600_000 },
  { unit: 'hoursLong', ms: 3_600_000, below: 48 * 3_600_000 },
  { unit: 'days', ms: 86_400_000, below: Infinity },
] as const;

/** A length of time in its largest fitting unit: `40 s`, `12 min`, `1.5 h`, `3 d`. */
export const useDuration = (text: TextOf<typeof homeText>): ((ms: number) => string) => {
  const number = useNumber();
  return (ms) => {
    const fitting = units.find(({ below }) => ms < below) ?? units[3];
    const value = ms / fitting.ms;
    const shown = fitting.unit === 'hoursLong' && value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
    return text[fitting.unit](number(shown));
  };
};
