import { type JSX, lazy, Suspense, useState } from 'react';
import type { Message } from '../../../client/client.ts';
import { withTexts } from '../../app/with-texts.ts';
import { Opening } from '../../components/opening.tsx';
import { useNow } from '../../components/time.tsx';
import { inboxText } from '../../text/inbox.ts';
import { receivedText } from '../../text/received.ts';
import { useText } from '../../text/text.ts';
import { viewerText } from '../../text/viewer.ts';
import { FileBox } from './file-box.tsx';
import { captionOf, fileNameOf, record } from './message-data.ts';
import { kindOf } from './message-words.ts';
import { unsupportedOf } from './received.ts';
import { Words } from '../../components/words.tsx';

/** Few messages have such parts: they come when one is shown. */
const Choices = lazy(withTexts([receivedText], () => import('./choices.tsx')));
const Received = lazy(withTexts([receivedText], () => import('./received-cards.tsx')));
const received = new Set(['contacts', 'location', 'order', 'nfm_reply']);
const MediaViewer = lazy(withTexts([viewerText], () => import('./media-viewer.tsx')));

/** What a message says or shows. */
export const Content = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { subtype, value, media, content } = message;
  if (message.revoked_at !== null) return <p className="muted">{text.revoked}</p>;
  if (subtype === 'reaction' || subtype === 'reaction_removed') return <p className="reaction">{value || '—'}</p>;
  if (subtype === 'unsupported') return <p className="muted">{unsupportedOf(text, message)}</p>;
  if (received.has(subtype))
    return (
      <Suspense fallback={<p className="muted">{kindOf(text, subtype) || '…'}</p>}>
        <Received message={message} />
      </Suspense>
    );
  const words = media ? captionOf(message) : value;
  return (
    <>
      {hasOrigin(content) && (
        <Suspense>
          <Received message={message} />
        </Suspense>
      )}
      {media && <Media message={message} />}
      {(words !== '' || !media) && <Words text={words === '' ? kindOf(text, subtype) || subtype : words} />}
      {record(content?.['interactive']) && (
        <Suspense>
          <Choices content={content} />
        </Suspense>
      )}
    </>
  );
};

/** Whether it came from an advertisement, or is about a product. */
const hasOrigin = (content: Message['content']): boolean =>
  record(content?.['referral']) !== undefined || record(content?.['context'])?.['referred_product'] !== undefined;

const links = new Map<number, { url: string; until: number }>();

/** The link of a message's file: each answer of the API signs another for a quarter of an hour, and a page would load the file again with each. */
const useSameLink = ({ id, media }: Message): string | undefined => {
  const now = useNow();
  const url = media?.url ?? undefined;
  const known = links.get(id);
  if (url === undefined || (known && known.until > now)) return url === undefined ? undefined : known?.url;
  links.set(id, { url, until: now + 12 * 60_000 });
  return url;
};

const Media = ({ message }: { message: Message }): JSX.Element => {
  const text = useText(inboxText);
  const { media, subtype } = message;
  const [isBroken, setBroken] = useState(false);
  const [isViewed, setViewed] = useState(false);
  const name = fileNameOf(message) ?? (kindOf(text, subtype) || text.document);
  const url = useSameLink(message);
  // a file that was sent by its link is on another host, which the page reads nothing of: it opens beside it
  const isOwn = url?.includes('X-Amz-Signature=') === true;
  if (isOwn && !isBroken && (subtype === 'image' || subtype === 'sticker'))
    return (
      <>
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="media"
          onClick={(event) => {
            // another tab is the browser's affair
            if (subtype === 'sticker' || event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            setViewed(true);
          }}
        >
          <img src={url} alt={captionOf(message) || name} loading="lazy" onError={() => setBroken(true)} />
        </a>
        {isViewed && (
          <Suspense fallback={<Opening />}>
            <MediaViewer message={message} onClose={() => setViewed(false)} />
          </Suspense>
        )}
      </>
    );
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send has none
  if (isOwn && subtype === 'video') return <video src={url} controls preload="metadata" className="media" aria-label={name} />;
  if (isOwn && (subtype === 'audio' || subtype === 'voice'))
    // oxlint-disable-next-line jsx-a11y/media-has-caption -- what people send has none
    return <audio src={url} controls preload="none" aria-label={name} />;
  return (
    <FileBox icon={subtype === 'image' ? 'image' : 'file'} url={url}>
      <span className="cut" style={{ display: 'block' }}>
        {name}
      </span>
      <small className="muted">
        {isBroken ? text.pictureBroken : [media?.mime, media?.size && `${Math.ceil(media.size / 1024)} KB`].filter(Boolean).join(' · ')}
      </small>
    </FileBox>
  );
};
