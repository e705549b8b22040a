import type { Answer } from './client.ts';
import type { Pace } from './pace.ts';
import { Rings } from './rings.ts';

/** What the bell needs of the page. Nothing of it is imported, which would take the page's first chunks apart. */
interface Rung {
  getDoorbell: () => Promise<Answer<'getDoorbell'>>;
  /** Whether colleagues see that this user looks at a conversation. */
  isShown: () => boolean;
  onRing: () => void;
  /** Whether an error says that the session is over. */
  isEnd: (error: unknown) => boolean;
}

/**
 * Has the page look when something happened: of a chunk of its own, as a page works without it. A ring brings nothing but itself, so one
 * that is lost, comes twice or late changes no more than when the page looks. While there is no connection the pace is what it was.
 */
export const followDoorbell = async (signal: AbortSignal, pace: Pace, { getDoorbell, isShown, onRing, isEnd }: Rung): Promise<void> => {
  for (let tries = 0; !signal.aborted; tries++) {
    try {
      const { doorbell } = (await getDoorbell()).data;
      if (doorbell === null) return;
      const rings = new Rings(isShown);
      await connected(doorbell, signal, () => {
        tries = 0;
        pace.rings = rings;
        rings.rung(Date.now());
        onRing();
      });
    } catch (error) {
      // the looks end such a session
      if (isEnd(error)) return;
    }
    delete pace.rings;
    if (signal.aborted) return;
    onRing();
    await pause(signal, retryMs(tries, Math.random()));
  }
};

/** Twice as long each time, five minutes at most, and never all pages at once. */
export const retryMs = (tries: number, random: number): number => Math.min(300_000, 1_000 * 2 ** tries) * (0.5 + random / 2);

type Doorbell = NonNullable<Answer<'getDoorbell'>['data']['doorbell']>;

/** Two of its pings, a minute apart, did not come. */
const silentMs = 130_000;

/** Ends with the connection; `onRing` is called for each ring, and once when rings come from now on. */
const connected = ({ address, host, channel, token }: Doorbell, signal: AbortSignal, onRing: () => void): Promise<void> =>
  new Promise((resolve) => {
    const authorization = { host, Authorization: token };
    const socket = new WebSocket(new URL(address, location.origin.replace(/^http/, 'ws')), [
      'aws-appsync-event-ws',
      `header-${base64Url(authorization)}`,
    ]);
    let silence: ReturnType<typeof setTimeout>;
    const end = (): void => {
      clearTimeout(silence);
      signal.removeEventListener('abort', end);
      socket.onclose = socket.onmessage = socket.onopen = null;
      socket.close();
      resolve();
    };
    const received = (): void => {
      clearTimeout(silence);
      silence = setTimeout(end, silentMs);
    };
    received();
    signal.addEventListener('abort', end);
    socket.onclose = end;
    socket.onopen = () => socket.send('{"type":"connection_init"}');
    socket.onmessage = ({ data }) => {
      received();
      const { type } = JSON.parse(String(data)) as { type: string };
      if (type === 'connection_ack') socket.send(JSON.stringify({ type: 'subscribe', id: 'look', channel, authorization }));
      else if (type === 'data' || type === 'subscribe_success') onRing();
      else if (type.endsWith('error')) end();
    };
  });

const base64Url = (value: object): string => btoa(JSON.stringify(value)).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');

const pause = (signal: AbortSignal, ms: number): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
