import type { JSX, ReactNode } from 'react';
import { type Part, partsOf } from './formatting.ts';

/** The text of a message, as WhatsApp shows it. */
export const Words = ({ text }: { text: string }): JSX.Element => (
  <p className="words" dir="auto">
    {shown(partsOf(text))}
  </p>
);

const elements = { bold: 'strong', italic: 'em', struck: 's', code: 'code', mono: 'code' } as const;

const shown = (parts: readonly Part[]): ReactNode[] =>
  parts.map((part, nth) => {
    // parts of one text, which has no others
    const key = nth;
    if (part.kind === 'text') return part.text;
    if (part.kind === 'link')
      return (
        <a key={key} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
        </a>
      );
    if ('end' in part)
      return (
        <span key={key} className={`line ${part.kind}`}>
          {shown(part.parts)}
        </span>
      );
    const Element = elements[part.kind];
    return <Element key={key}>{shown(part.parts)}</Element>;
  });
