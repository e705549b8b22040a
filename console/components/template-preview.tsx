import type { JSX } from 'react';
import { Icon } from './icons.tsx';
import { openedText } from '../text/opened.ts';
import { useText } from '../text/text.ts';
import { filled, type TemplateParts, type Values } from './template-parts.ts';
import { Words } from './words.tsx';
import './message.css';

interface PreviewProps {
  parts: TemplateParts;
  values: Values;
  /** The address of the picture above the text, where the page has it. */
  picture?: string | undefined;
}

/** The template as the contact gets it, with what was filled in so far. */
export const TemplatePreview = ({ parts, values, picture }: PreviewProps): JSX.Element => {
  const opened = useText(openedText);
  return (
    <figure aria-label={opened.preview} className="template-preview">
      <div className="message ours">
        <Bubble parts={parts} values={values} picture={picture} />
      </div>
      {parts.cards.length > 0 && (
        <ul className="template-cards">
          {parts.cards.map((card, place) => (
            // oxlint-disable-next-line react/no-array-index-key -- cards have no other name
            <li key={place} className="message ours">
              <Bubble parts={card} values={values} card={place} />
            </li>
          ))}
        </ul>
      )}
    </figure>
  );
};

/** The template, or one card of it. */
const Bubble = ({ parts, values, card, picture }: PreviewProps & { card?: number }): JSX.Element => {
  const opened = useText(openedText);
  const { media, header, body, footer, buttons, offer } = parts;
  return (
    <div className="bubble" dir="auto">
      {media !== undefined && (picture === undefined ? <Media kind={media} /> : <img className="media" src={picture} alt={opened.image} />)}
      {header !== undefined && <strong>{filled(header, 'header', values, card)}</strong>}
      {offer !== undefined && <strong>{offer.text}</strong>}
      {body !== '' && <Words text={filled(body, 'body', values, card)} />}
      {footer !== undefined && <p className="muted">{footer}</p>}
      <div className="choices">
        {buttons.map(({ type, text }, place) => (
          // of a code the label is WhatsApp's own
          // oxlint-disable-next-line react/no-array-index-key -- while they are written, two may say the same
          <span key={place}>{text || (type === 'COPY_CODE' ? opened.couponCode : '…')}</span>
        ))}
      </div>
    </div>
  );
};

/** A page of the console shows no file of another host. */
const Media = ({ kind }: { kind: string }): JSX.Element => {
  const opened = useText(openedText);
  const names: Readonly<Record<string, string>> = { IMAGE: opened.image, VIDEO: opened.video, PRODUCT: opened.product };
  return (
    <span className="file">
      <Icon name={kind === 'DOCUMENT' ? 'file' : 'image'} size={20} /> {names[kind] ?? opened.document}
    </span>
  );
};
