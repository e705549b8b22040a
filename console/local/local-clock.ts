import { setClockOffset } from '../components/time.tsx';
import { queryClient } from '../data/queries.ts';

const lookMs = 5_000;

/** On the laptop the product's time can be moved: windows close and dates change here as there, by whatever way it was moved. */
export const followLaptopClock = (): void => {
  let known: number | undefined;
  const look = async (): Promise<void> => {
    const answer = await fetch('/_local/clock');
    if (!answer.ok) return;
    const { data } = (await answer.json()) as { data: { offset_seconds: number } };
    const offset = Math.round(data.offset_seconds);
    if (offset === known) return;
    setClockOffset(offset * 1_000);
    if (known !== undefined) await queryClient.invalidateQueries();
    known = offset;
  };
  // the next look shows it; a stopped product gives no answer
  const lookQuietly = (): void => void look().catch(() => undefined);
  lookQuietly();
  setInterval(lookQuietly, lookMs);
};
