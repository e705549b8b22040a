import { type JSX, useEffect, useState } from 'react';
import type { Message } from '../../../client/client.ts';
import { Button } from '../../components/basics.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { messagesIn } from '../../data/thread.ts';
import { useLocale, useText } from '../../text/text.ts';
import { viewerText } from '../../text/viewer.ts';
import { captionOf } from './message-data.ts';

const isPicture = ({ subtype, media, revoked_at: revoked }: Message): boolean =>
  subtype === 'image' && typeof media?.url === 'string' && revoked === null;

/** The pictures of a thread, as far as it was read, one at a time and as large as the page: arrows go through them, Escape leaves. */
const MediaViewer = ({ message, onClose }: { message: Message; onClose: () => void }): JSX.Element => {
  const text = useText(viewerText);
  const { direction } = useLocale();
  const [shown, setShown] = useState(message);
  const pictures = messagesIn(message.contact_id).filter(isPicture);
  const place = pictures.findIndex(({ id }) => id === shown.id);
  const [before, after] = [pictures[place - 1], pictures[place + 1]];
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent): void => {
      const isOn = key === (direction === 'rtl' ? 'ArrowLeft' : 'ArrowRight');
      const next = isOn ? after : key.startsWith('Arrow') && !/Up|Down/.test(key) ? before : undefined;
      if (next) setShown(next);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [before, after, direction]);
  const caption = captionOf(shown);
  const url = shown.media?.url ?? '';
  return (
    <Dialog
      title={caption === '' ? text.picture : caption}
      onClose={onClose}
      wide
      footer={
        <>
          <Button look="quiet" icon="left" label={text.previous} isSoftDisabled={!before} onClick={() => before && setShown(before)} />
          <span className="numbers muted" aria-live="polite">
            {text.place(place + 1, pictures.length)}
          </span>
          <Button look="quiet" icon="right" label={text.next} isSoftDisabled={!after} onClick={() => after && setShown(after)} />
          <span className="grow" />
          <a className="button" href={url} target="_blank" rel="noopener noreferrer">
            {text.original}
          </a>
        </>
      }
    >
      <img className="viewed" src={url} alt={caption === '' ? text.picture : caption} />
    </Dialog>
  );
};
export default MediaViewer;
