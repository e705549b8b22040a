import type { JSX } from 'react';
import { useLostSince } from '../data/connection.ts';
import { pollNow } from '../data/look.ts';
import { shellText } from '../text/shell.ts';
import { useLocale, useText } from '../text/text.ts';
import { Button } from './basics.tsx';
import { Icon } from './icons.tsx';
import { formatTime } from './time.tsx';

/** While the API gives no answer: since when. What was read stays, and is read again by itself afterwards. */
export const ConnectionBar = (): JSX.Element => {
  const text = useText(shellText);
  const { tag } = useLocale();
  const since = useLostSince();
  return (
    <div className="connection" role="status">
      {since !== undefined && (
        <p className="row">
          <Icon name="alert" />
          <span className="grow">{text.lost(formatTime(tag, since, { timeStyle: 'short' }))}</span>
          <Button small onClick={pollNow}>
            {text.tryNow}
          </Button>
        </p>
      )}
    </div>
  );
};
